import ChatModel

extension ChatState {
    /// Hands over the whole state in pieces, in an order that is the same in every process.
    package func parts<Failure: Error>(_ body: (StatePart) throws(Failure) -> Void) throws(Failure) {
        try body(
            .app(AppPart(lastAt: lastAt, emojis: emojis.emojis, webhooks: webhooks, overrides: overrides)))
        for chunk in users.keys.sorted().inPieces {
            try body(.users(chunk.compactMap { users[$0]?.part }))
        }
        for chunk in files.parts.inPieces { try body(.files(Array(chunk))) }
        for chunk in files.orphans.inPieces { try body(.orphans(Array(chunk))) }
        for chunk in reports.reports.inPieces { try body(.reports(chunk.compactMap(ReportPart.init))) }
        for id in channels.keys.sorted() {
            guard let channel = channels[id] else { continue }
            try body(.channel(channel.part(at: lastAt)))
            for chunk in channel.members.keys.sorted().inPieces {
                try body(
                    .members(id, chunk.compactMap { user in channel.memberPart(of: user) }))
            }
            for chunk in channel.messages.indices.inPieces {
                try body(.messages(id, chunk.map(channel.messagePart)))
            }
        }
    }
}

extension RandomAccessCollection where Index == Int {
    fileprivate var inPieces: some Sequence<SubSequence> {
        stride(from: startIndex, to: endIndex, by: StatePart.limit).lazy.map { start in
            self[start..<Swift.min(start + StatePart.limit, endIndex)]
        }
    }
}
