// Compiled together with UploadTarget of API, with ChatModel, WireProtocol and ChatDomain's percent-encoding and limits as modules, by
// Tests/fuzz.
//
//     the path of an upload or of a download, with its query

import ChatDomain
import ChatModel
import WireProtocol

/// Replaces the chat's type, which is not compiled.
package enum Caller: Equatable {
    case server
    case user(UserID)
}

/// Yields a target or an error, never a trap. A displayed name contains no disguising characters and is not a path, a
/// size is within its limits, and the user to act for is valid.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzUploadQueries(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let path = String(decoding: UnsafeBufferPointer(start: start, count: start == nil ? 0 : count), as: UTF8.self)
    if let target = try? UploadTarget(path: path) {
        precondition(!target.name.isEmpty && target.name.unicodeScalars.count <= 200, "no name, or a long one")
        precondition(!target.name.contains("/") && !target.name.contains("\\"), "a path")
        precondition(!target.name.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }, "a control")
        precondition(FileName.sanitized(target.name) == target.name, "shown once more it is another")
        let query =
            "channel_id=\(PercentEncoding.encode(target.channel.rawValue))&name=\(PercentEncoding.encode(target.name))"
        precondition((try? UploadTarget(path: "/v1/files?" + query)) == target, "written and read again")
    }
    if let size = try? UploadTarget.thumbnail(path: path) {
        precondition((1...4_096).contains(size.maxWidth) && (1...4_096).contains(size.maxHeight), "out of its bounds")
    }
    if case .user(let user)? = try? UploadTarget.caller(path: path, sentBy: .server) {
        precondition(!user.rawValue.isEmpty, "nobody")
        precondition((try? UploadTarget.caller(path: path, sentBy: .user(user))) == nil, "a user speaks for another")
    }
    return 0
}
