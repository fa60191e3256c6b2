import ChatModel
import WireProtocol

/// Refusals in the cluster's log, as JSON.
extension Rejection {
    /// The encoded refusal. Details are far shorter than the log's limit of 64 KiB.
    package var encoded: [UInt8] {
        var writer = JSONWriter()
        writer.object { json in
            json.field("code", UInt64(code.rawValue))
            if let detail { json.field("detail", detail) }
            if let retryAfterMilliseconds { json.field("retry_after_ms", retryAfterMilliseconds) }
        }
        return writer.bytes
    }

    /// Decodes a refusal. What a newer node encoded differently becomes an internal error.
    package init(encoded bytes: [UInt8]) {
        guard let fields = try? JSONFields(bytes), let number = try? fields.unsigned("code"),
            let code = ErrorCode(rawValue: ErrorCode.RawValue(clamping: number))
        else {
            self.init(.internal, "an unknown refusal")
            return
        }
        let wait = (try? fields.unsigned("retry_after_ms")).flatMap { $0 }
        self.init(
            code, (try? fields.string("detail")) ?? nil, retryAfterMilliseconds: wait.map { Int64(clamping: $0) })
    }
}
