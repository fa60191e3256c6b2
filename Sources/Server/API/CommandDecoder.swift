import ChatDomain
import ChatModel
import WireProtocol

/// Decodes a command's `data` or an HTTP body into a request. Errors name the field.
struct CommandDecoder {
    /// Whether to refuse unknown fields rather than ignore them.
    let refusesUnknownFields: Bool
    private let decoder = WireDecoder(limits: limits)
    /// The sizes of the largest valid lists and objects (metadata). Larger ones are refused without decoding their
    /// elements.
    static let limits = WireDecoder.Limits(elements: FieldLimits.idsPerCommand, members: FieldLimits.metadataKeys)

    init(refusesUnknownFields: Bool) { self.refusesUnknownFields = refusesUnknownFields }

    /// - Throws: 107 for invalid JSON, a wrong shape or an unknown field; 1032 for an out-of-range value; 1018 for a
    ///   field that this build does not support; 1009 for `as_user_id` without a server key; 1031 for a list longer
    ///   than any command allows.
    func decode<R: Request>(
        _ type: R.Type, from data: ArraySlice<UInt8>, mayActAs: Bool, usual: UsualReader<R> = { _ in nil }
    ) throws(Rejection) -> R {
        let fields = try Self.fields(data.isEmpty ? Array("{}".utf8)[...] : data)
        for field in type.notYet where fields.raw(field) != nil { throw Rejection(.featureDisabled, field) }
        if !mayActAs, fields.raw("as_user_id") != nil { throw Rejection(.serverOnly, "as_user_id needs a server key") }
        if let request = usual(fields) { return request }
        if refusesUnknownFields { try KnownFields.check(fields, of: type, mayActAs: mayActAs) }
        do {
            return try decoder.decode(type, from: fields)
        } catch let invalid as InvalidValue {
            throw Rejection(.invalidValue, "\(invalid.field): must be \(invalid.expected)")
        } catch let many as WireDecoder.TooMany {
            throw Rejection(.tooMany, "\(many.field): at most \(many.limit)\(many.isObject ? " keys" : "")")
        } catch let error as DecodingError {
            throw Rejection(.badRequest, Self.explain(error))
        } catch {
            throw Rejection(.badRequest, "the body does not match the command")
        }
    }

    /// Decodes a request that another node decoded and encoded again.
    func decode<R: Request>(relayed type: R.Type, from data: [UInt8]) throws(Rejection) -> R {
        do {
            return try decoder.decode(type, from: try Self.fields(data[...]))
        } catch let error as Rejection {
            throw error
        } catch let error as DecodingError {
            throw Rejection(.badRequest, Self.explain(error))
        } catch {
            throw Rejection(.badRequest, "the body does not match the command")
        }
    }

    static func fields(_ data: ArraySlice<UInt8>) throws(Rejection) -> JSONFields {
        do throws(JSONSyntaxError) {
            return try JSONFields(data)
        } catch .tooMany(let limit) {
            throw Rejection(.badRequest, "an object has more than \(limit) members")
        } catch .invalidString {
            throw Rejection(.badRequest, "a string is not valid UTF-8 or contains half of a surrogate pair")
        } catch {
            throw Rejection(.badRequest, "the body must be a JSON object")
        }
    }

    /// Returns text that names the field and the problem, never the value.
    private static func explain(_ error: DecodingError) -> String {
        func path(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String {
            (context.codingPath + (key.map { [$0] } ?? [])).map(\.stringValue).joined(separator: ".")
        }
        return switch error {
        case .keyNotFound(let key, let context): "\(path(context, key)) is missing"
        case .valueNotFound(_, let context): "\(path(context)) must not be null"
        case .typeMismatch(_, let context): "\(path(context)) has the wrong type"
        case .dataCorrupted(let context): "\(path(context)) has an invalid value"
        @unknown default: "the body does not match the command"
        }
    }
}
