import ChatDomain
import ChatModel

/// The query of `POST /v1/files`: `channel_id`, `name` and, with a server key, `as_user_id`. `GET
/// /v1/files/{id}/{name}` uses only the last.
package struct UploadTarget: Equatable, Sendable {
    package let channel: ChannelID
    /// The displayable name; see `FileName`.
    package let name: String

    /// - Parameter path: The request's path, with its query.
    /// - Throws: 107 for a malformed query or a missing field, 1032 for a value out of range.
    package init(path: String) throws(Rejection) {
        let fields = try QueryFields(path: path)
        guard let text = try fields.value("channel_id") else { throw Rejection(.badRequest, "channel_id is missing") }
        guard let channel = ChannelID(text) else {
            throw Rejection(.invalidValue, "channel_id: must be a channel id: [A-Za-z0-9_.~-]{1,100}")
        }
        guard let name = try fields.value("name") else { throw Rejection(.badRequest, "name is missing") }
        self.channel = channel
        self.name = FileName.sanitized(name)
    }

    /// Returns the caller that the request is executed as: the sender, or the user whom a server key names.
    ///
    /// - Throws: 1032 for an invalid user id; 1009 without a server key.
    package static func caller(path: String, sentBy sender: Caller) throws(Rejection) -> Caller {
        guard let text = try QueryFields(path: path).value("as_user_id") else { return sender }
        guard sender == .server else { throw Rejection(.serverOnly, "as_user_id needs a server key") }
        guard let user = UserID(text) else {
            throw Rejection(.invalidValue, "as_user_id: must be a user id: 1 to 80 characters, no control characters")
        }
        return .user(user)
    }
}

extension UploadTarget {
    /// Returns the requested thumbnail size: `thumbnail=200x100`.
    ///
    /// - Throws: 1032 unless it consists of two numbers from 1 to 4,096.
    package static func thumbnail(path: String) throws(Rejection) -> ThumbnailSize? {
        guard let text = try QueryFields(path: path).value("thumbnail") else { return nil }
        let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { side -> Int? in
            guard side.utf8.count <= 4, side.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return Int(side).flatMap { FieldLimits.thumbnailPixels.contains($0) ? $0 : nil }
        }
        guard sides.count == 2, let width = sides[0], let height = sides[1] else {
            throw Rejection(.invalidValue, "thumbnail: must be like 200x100, each side 1 to 4096 pixels")
        }
        return ThumbnailSize(maxWidth: width, maxHeight: height)
    }
}

/// The fields of a query, `a=b&c=d`, escaped as in HTML forms.
struct QueryFields {
    private let fields: [Substring]

    init(path: String) throws(Rejection) {
        guard let mark = path.firstIndex(of: "?") else {
            fields = []
            return
        }
        fields = path[path.index(after: mark)...].split(separator: "&")
        guard fields.count <= 16 else { throw Rejection(.badRequest, "the query has more than 16 fields") }
    }

    func firstName(outside known: [String]) -> String? {
        fields.lazy.map { String($0.prefix { $0 != "=" }) }.first { !known.contains($0) }
    }

    /// - Returns: `nil` when the field is absent.
    /// - Throws: 107 when it is repeated or not UTF-8.
    func value(_ name: String) throws(Rejection) -> String? {
        let values = fields.filter { $0.hasPrefix(name + "=") }.map { $0.dropFirst(name.utf8.count + 1) }
        guard let value = values.first else { return nil }
        guard values.count == 1 else { throw Rejection(.badRequest, "\(name): given more than once") }
        guard let text = PercentEncoding.decode(value.replacing("+", with: " ")) else {
            throw Rejection(.badRequest, "\(name): must be valid UTF-8")
        }
        return text
    }
}

/// Names of uploads. They are displayed and suggested for saving, but never used as paths.
package enum FileName {
    static let codePoints = 200

    /// Returns the last component of a possible path, without control characters and without bidirectional characters
    /// that disguise it; `file` when nothing is left.
    package static func sanitized(_ text: String) -> String {
        let scalars = text.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last ?? []
        var kept = String.UnicodeScalarView()
        for scalar in scalars where !scalar.isControl && !scalar.isBidirectionalControl {
            kept.append(scalar)
            if kept.count == codePoints { break }
        }
        let name = String(kept)
        return name.allSatisfy { $0 == "." || $0 == " " } ? "file" : name
    }
}
