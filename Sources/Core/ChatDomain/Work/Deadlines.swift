import ChatModel
import HeapModule

/// What time does to the state: which messages and reports are to be removed, and when.
///
/// The one schedule for all such rules. It only repeats what the state says and is rebuilt from it, so nothing here is
/// stored.
package struct Deadlines {
    private enum Subject: Comparable {
        /// A message that ends (`MT9`).
        case expiry(ChannelID, MessageID)
        /// The oldest messages of a channel (`PR4`).
        case retention(ChannelID)
        /// A report that was decided (`ME5`).
        case report(MessageID)
    }

    private struct Deadline: Comparable {
        let at: Int64
        let subject: Subject

        static func < (a: Self, b: Self) -> Bool { (a.at, a.subject) < (b.at, b.subject) }
    }

    /// The maximum number of messages that one record removes.
    package static let messagesPerTrim = 500
    /// The maximum number of messages removed in one turn.
    package static let messagesPerTurn = 1_000

    /// How long removals wait for nodes of an older version.
    private static let upgradeMilliseconds: Int64 = 60_000

    private var deadlines: Heap<Deadline> = []
    /// The earliest deadline for the retention of each channel that has one; later ones are obsolete.
    private var retentions: [ChannelID: Int64] = [:]

    package init() {}

    /// The deadlines of a state that was loaded.
    package init(of state: ChatState, _ settings: ChatSettings) {
        for channel in state.channels.values { schedule(all: channel, settings) }
        for id in state.reports.settled { schedule(report: id, in: state, settings) }
    }

    /// When the next deadline is due, in milliseconds since 1970; `nil` if there is none.
    package var next: Int64? { deadlines.min?.at }
    package var count: Int { deadlines.count }

    /// Adds the deadlines that follow from a record, after the state has applied it.
    package mutating func add(_ record: Record, in state: ChatState, _ settings: ChatSettings) {
        switch record.event {
        case .messageSent(let sent):
            if let time = sent.expiresAt {
                deadlines.insert(Deadline(at: time, subject: .expiry(sent.channel, sent.id)))
            }
            if let channel = state.channels[sent.channel] { schedule(channel, settings) }
        case .reportSettled(let settled): schedule(report: settled.id, in: state, settings)
        case .retentionSet(let id, _): if let channel = state.channels[id] { schedule(channel, settings) }
        case .historyTrimmed(let trimmed):
            if let channel = state.channels[trimmed.channel] { schedule(channel, settings) }
        case .importSettled(let settled):
            for opened in settled.opened {
                if let channel = state.channels[opened.channel] { schedule(all: channel, settings) }
            }
        default: break
        }
    }

    private mutating func schedule(report id: MessageID, in state: ChatState, _ settings: ChatSettings) {
        guard let end = state.reports.end(of: id, settings) else { return }
        deadlines.insert(Deadline(at: end, subject: .report(id)))
    }

    private mutating func schedule(all channel: ChannelState, _ settings: ChatSettings) {
        for message in channel.messages.expiring {
            deadlines.insert(Deadline(at: message.expiresAt, subject: .expiry(channel.id, message.id)))
        }
        schedule(channel, settings)
    }

    private mutating func schedule(_ channel: ChannelState, _ settings: ChatSettings) {
        guard let time = channel.retentionDeadline(settings), time < retentions[channel.id] ?? .max else { return }
        schedule(channel.id, at: time)
    }

    private mutating func schedule(_ channel: ChannelID, at time: Int64) {
        retentions[channel] = time
        deadlines.insert(Deadline(at: time, subject: .retention(channel)))
    }

    /// Removes the deadlines that are due and returns the events that they cause; a turn has a limited number.
    ///
    /// - Parameters:
    ///   - now: The current time in milliseconds since 1970.
    ///   - canExpress: Returns whether the log can store an event. If not, its removal waits for newer nodes.
    /// - Returns: The events, and the number of messages that they remove.
    package mutating func due(
        at now: Int64, in state: ChatState, _ settings: ChatSettings, canExpress: (Event) -> Bool = { _ in true }
    ) -> (events: [Event], messages: Int) {
        var expired: [Event] = []
        var messages = 0
        while expired.count < Self.messagesPerTurn, let deadline = deadlines.min, deadline.at <= now {
            switch deadline.subject {
            case .expiry(let id, let message):
                deadlines.removeMin()
                guard let message = state.channels[id]?.message(message), !message.isDeleted else { continue }
                expired.append(.messageDeleted(id, message.id, files: message.uploads))
                messages += 1
            case .report(let id):
                deadlines.removeMin()
                guard state.reports.isOver(id, at: now, settings) else { continue }
                let event = Event.reportDeleted(id, isOver: true)
                if canExpress(event) {
                    expired.append(event)
                } else {
                    deadlines.insert(Deadline(at: now + Self.upgradeMilliseconds, subject: .report(id)))
                }
            case .retention(let id):
                // A turn of its own: the same messages may have been about to end.
                guard expired.isEmpty else { return (expired, messages) }
                deadlines.removeMin()
                guard retentions[id] == deadline.at else { continue }
                retentions[id] = nil
                guard let channel = state.channels[id] else { continue }
                guard let trimmed = channel.trimmed(at: now, settings) else {
                    schedule(channel, settings)
                    continue
                }
                var older = trimmed.event
                older.clientIDsFrom = nil
                for event in [Event.historyTrimmed(trimmed.event), .historyTrimmed(older)] where canExpress(event) {
                    return ([event], trimmed.count)
                }
                schedule(id, at: now + Self.upgradeMilliseconds)
            }
        }
        return (expired, messages)
    }

    /// Removes the deadlines that are due but have nothing to do any more: another node has removed the messages.
    package mutating func dropObsolete(at now: Int64, in state: ChatState, _ settings: ChatSettings) {
        while let deadline = deadlines.min, deadline.at <= now {
            switch deadline.subject {
            case .expiry(let id, let message):
                if let message = state.channels[id]?.message(message), !message.isDeleted { return }
                deadlines.removeMin()
            case .report(let id):
                if state.reports.isOver(id, at: now, settings) { return }
                deadlines.removeMin()
            case .retention(let id):
                let channel = state.channels[id]
                let isCurrent = retentions[id] == deadline.at
                if isCurrent, channel?.trimmed(at: now, settings) != nil { return }
                deadlines.removeMin()
                guard isCurrent else { continue }
                retentions[id] = nil
                // The oldest message that is left ends later.
                if let channel { schedule(channel, settings) }
            }
        }
    }
}

extension ReportList {
    /// Returns when a decided report is to be removed; `nil` for an open one, and if decided ones are kept for ever.
    fileprivate func end(of id: MessageID, _ settings: ChatSettings) -> Int64? {
        guard settings.settledReportDays > 0 else { return nil }
        return self[id]?.settledAt.map { $0.advanced(bySeconds: settings.settledReportDays * 86_400) }
    }

    fileprivate func isOver(_ id: MessageID, at now: Int64, _ settings: ChatSettings) -> Bool {
        end(of: id, settings).map { $0 <= now } ?? false
    }
}

extension ChannelState {
    /// Returns when the oldest message is to be removed; `nil` for never.
    fileprivate func retentionDeadline(_ settings: ChatSettings) -> Int64? {
        let limits = retention.over(settings)
        // Asked for each message that is sent, and most channels have no limit.
        guard limits.seconds != nil || limits.count != nil, !messages.isEmpty else { return nil }
        if let count = limits.count, messages.count > count { return 0 }
        return limits.seconds.map { messages.createdAt(at: messages.startIndex).advanced(bySeconds: $0) }
    }

    /// Returns the oldest messages that are to be removed by now, as many as one record may remove; `nil` if there are
    /// none.
    fileprivate func trimmed(
        at now: Int64, _ settings: ChatSettings
    ) -> (event: Event.HistoryTrimmed, count: Int)? {
        let limits = retention.over(settings)
        var end = messages.startIndex
        if let count = limits.count { end = max(end, messages.endIndex - count) }
        let last = min(messages.endIndex, messages.startIndex + Deadlines.messagesPerTrim)
        if let seconds = limits.seconds {
            while end < last, messages.createdAt(at: end).advanced(bySeconds: seconds) <= now { end += 1 }
        }
        end = min(end, last)
        guard end > messages.startIndex else { return nil }
        let removed = messages.startIndex..<end
        let firstClientID = messages.firstClientID(since: now - Retention.clientIDMilliseconds, before: end)
        let trimmed = Event.HistoryTrimmed(
            channel: id, upTo: messages.offset(at: end - 1), files: removed.flatMap { messages[$0].uploads },
            clientIDsFrom: firstClientID < end ? messages.offset(at: firstClientID) : messages.offset(at: end - 1) + 1)
        return (trimmed, removed.count)
    }
}

extension Int64 {
    /// Returns the time a number of seconds after a time in milliseconds; the last possible time if that is too late.
    fileprivate func advanced(bySeconds seconds: Int) -> Int64 {
        let (milliseconds, isTooLong) = Int64(seconds).multipliedReportingOverflow(by: 1_000)
        let (time, isTooLate) = addingReportingOverflow(milliseconds)
        return isTooLong || isTooLate ? .max : time
    }
}
