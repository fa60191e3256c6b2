import ChatModel
import TextRules

/// A text after the rules (`MO3`).
struct CheckedText {
    let text: String
    /// Whether the rules have masked something.
    var isMasked = false
    /// The rules that report it.
    var reports: [String] = []
}

/// The one check behind every text that users send or show: messages and their edits, titles of threads, names of channels
/// and users.
extension ChatState {
    /// - Parameter customType: That of the channel; `nil` outside channels.
    /// - Throws: 1050 with the rule that refuses the text.
    func checked(_ text: String, customType: String?, _ context: Context) throws(Rejection) -> CheckedText {
        guard !textRules.isEmpty, !text.isEmpty else { return CheckedText(text: text) }
        let rules = try textRules.rules()
        context.work.charge(text.utf8.count * WorkCost.ruleByte)
        switch rules.verdict(of: text, customType: customType) {
        case .allowed: return CheckedText(text: text)
        case .reported(let ids): return CheckedText(text: text, reports: ids)
        case .masked(let masked, _, let reports): return CheckedText(text: masked, isMasked: true, reports: reports)
        case .refused(let id): throw Rejection(.textRefused, "rule \(id)")
        case .outOfMemory: throw Rejection(.textRefused, "the rules need too much memory")
        }
    }

    /// The same for texts of users: what the app itself sends is not checked.
    func checkedIfUsers(_ text: String, in channel: ChannelState, _ context: Context) throws(Rejection) -> CheckedText {
        guard context.caller.user != nil else { return CheckedText(text: text) }
        return try checked(text, customType: channel.customType, context)
    }

    /// Returns the report of a text by the first rule that reports it.
    ///
    /// - Parameter author: The user who sent or edited the text, whose number of reports is limited.
    func reports(
        of text: CheckedText, on target: ReportTarget, by author: UserID?, _ context: Context
    ) -> [Event] {
        guard let rule = text.reports.first, let author else { return [] }
        let key = ReportList.Key(by: author, target: target, category: .inappropriate, isByRule: true)
        guard reports.report(key) == nil else { return [] }
        return [
            .reportCreated(
                Event.ReportCreated(
                    id: context.freshID, category: .inappropriate, target: target, by: author,
                    replaced: reports.reportToReplace(for: author, isByRule: true), ruleID: rule))
        ]
    }

    /// The same for a name or title that users choose.
    func checkedUsersName(_ name: String?, customType: String?, _ context: Context) throws(Rejection) -> String? {
        guard context.caller.user != nil else { return name }
        return try checkedName(name, customType: customType, context)
    }

    /// Checks a name that others see, whoever sets it. Names are not reported.
    ///
    /// - Returns: The name, masked if the rules say so.
    func checkedName(_ name: String?, customType: String?, _ context: Context) throws(Rejection) -> String? {
        guard let name else { return nil }
        return try checked(name, customType: customType, context).text
    }
}
