import ChatDomain
import ChatEngine
import WireProtocol

/// The hook's answer: status 200 and one of `{"action":"allow"}`, `{"action":"refuse","reason":"…"}` and
/// `{"action":"replace","text":"…"}`. Other members are ignored.
enum HookAnswer {
    /// A text of maximum length in which every character is escaped.
    static let bytesLimit = 131_072

    /// - Returns: Nil if the answer is not valid.
    static func verdict(_ body: [UInt8]) -> HookVerdict? {
        guard let fields = try? JSONFields(body), let action = try? fields.string("action") else { return nil }
        switch action {
        case "allow": return .allow
        case "refuse":
            let reason: String?
            do throws(JSONSyntaxError) { reason = try fields.string("reason") } catch { return nil }
            guard let reason else { return .refuse(reason: "") }
            return reason.utf8.count <= FieldLimits.hookReasonBytes ? .refuse(reason: reason) : nil
        case "replace":
            guard let text = try? fields.string("text"), (1...FieldLimits.textBytes).contains(text.utf8.count) else {
                return nil
            }
            return .replace(text: text)
        default: return nil
        }
    }
}
