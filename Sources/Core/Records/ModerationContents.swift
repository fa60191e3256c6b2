import ChatDomain
import ChatModel

// Conversion of reports' decisions, moderation logs and text rules.

extension ProtoReportSettled {
    init(_ settled: Event.ReportSettled) {
        self.init()
        id = ProtoId(settled.id)
        state = ProtoReportState(settled.state)
        if let text = settled.note { note = text }
    }
}

extension Event.ReportSettled {
    init(_ proto: ProtoReportSettled) throws(RecordError) {
        self.init(
            id: proto.id.message, state: try proto.state.value("state"), note: proto.hasNote ? proto.note : nil)
    }
}

extension ProtoReportPart {
    init(_ part: ReportPart) {
        self.init()
        report = ProtoReportCreated(part.report)
        at = part.at
        if part.state != .open { state = ProtoReportState(part.state) }
        settledAt = part.settledAt ?? 0
        if let text = part.note { note = text }
    }
}

extension ReportPart {
    init(_ proto: ProtoReportPart) throws(RecordError) {
        self.init(
            report: try Event.ReportCreated(proto.report), at: proto.at,
            state: proto.state == .unknown ? .open : try proto.state.value("state"),
            settledAt: proto.settledAt == 0 ? nil : proto.settledAt, note: proto.hasNote ? proto.note : nil)
    }
}

extension ProtoModerationPart {
    init(_ part: ModerationPart) {
        self.init()
        log = part.log?.rawValue ?? ""
        number = part.number
        action = part.entry.action
        at = part.entry.at
        by = part.entry.by?.rawValue ?? ""
        channel = part.entry.channelID?.rawValue ?? ""
        user = part.entry.userID?.rawValue ?? ""
        if let id = part.entry.messageID { message = ProtoId(id) }
        if let id = part.entry.reportID { report = id }
        if let end = part.entry.until { until = end }
        if let text = part.entry.description { description_p = text }
    }
}

extension ModerationPart {
    init(_ proto: ProtoModerationPart) throws(RecordError) {
        var entry = ModerationEntry(action: proto.action, at: proto.at, by: try optionalUser(proto.by, "by"))
        if !proto.channel.isEmpty { entry.channelID = try Records.channel(proto.channel) }
        entry.userID = try optionalUser(proto.user, "user")
        entry.messageID = proto.hasMessage ? proto.message.message : nil
        entry.reportID = proto.hasReport ? proto.report : nil
        entry.until = proto.hasUntil ? proto.until : nil
        entry.description = proto.hasDescription_p ? proto.description_p : nil
        self.init(
            log: proto.log.isEmpty ? nil : try Records.channel(proto.log, "log"), number: proto.number, entry: entry)
    }
}

extension ProtoTexts {
    init(_ texts: [String]) {
        self.init()
        values = texts
    }
}

extension ProtoTextRule {
    init(_ rule: TextRuleDefinition) {
        self.init()
        id = rule.id
        action = ProtoTextRuleAction(rule.action)
        if let list = rule.words { words = ProtoTexts(list) }
        if let text = rule.pattern { pattern = text }
        if let list = rule.forbiddenDomains { forbiddenDomains = ProtoTexts(list) }
        if let list = rule.allowedDomains { allowedDomains = ProtoTexts(list) }
        if let list = rule.customTypes { customTypes = ProtoTexts(list) }
    }
}

extension TextRuleDefinition {
    init(_ proto: ProtoTextRule) throws(RecordError) {
        self.init(
            id: proto.id, words: proto.hasWords ? proto.words.values : nil,
            pattern: proto.hasPattern ? proto.pattern : nil,
            forbiddenDomains: proto.hasForbiddenDomains ? proto.forbiddenDomains.values : nil,
            allowedDomains: proto.hasAllowedDomains ? proto.allowedDomains.values : nil,
            action: try proto.action.value("action"), customTypes: proto.hasCustomTypes ? proto.customTypes.values : nil
        )
    }
}
