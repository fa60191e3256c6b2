import BelfryClient
import Synchronization

/// Queries the server at the end of a run and compares its replies with the acknowledged operations.
struct MixedInquiry: Sendable {
    let people: RoomCrowd
    let crowd: Crowd

    func verify(_ book: MixedBook, _ result: inout MixedResult) async throws {
        let wrong = Mutex(ProblemList())
        let counts = book.counts
        // Includes messages whose reactions were all removed.
        let messages = book.roomOfMessage.sorted { $0.key < $1.key }
        try await crowd.each(messages, "querying reactions of") { [people] id, room in
            guard let member = people.seating.members[room].first, let message = MessageID(id) else { return }
            let answer = try await people.members[member].client.call(
                GetMessage(channelID: people.rooms[room], messageID: message))
            if let problem = Self.difference(of: id, answer.message.reactions ?? [], from: counts[id] ?? [:]) {
                wrong.withLock { $0.add(problem) }
            }
        }
        result.reactionsAsked = messages.count
        result.wrongReactions = wrong.withLock(\.count)
        result.problems.add(wrong.withLock(\.lines))
        try await verifyMarkers(book, &result)
    }

    private func verifyMarkers(_ book: MixedBook, _ result: inout MixedResult) async throws {
        let wrong = Mutex(ProblemList())
        let markers = book.markers.sorted { ($0.key.room, $0.key.user) < ($1.key.room, $1.key.user) }
        try await crowd.each(markers, "querying markers of") { [people] marker, offset in
            let channel = people.rooms[marker.room]
            let member = people.members[marker.user]
            let read = try await member.client.call(GetChannel(channelID: channel)).channel.my?.lastRead
            if read?.offset != offset {
                let found = read.map { "\($0.offset)" } ?? "nothing"
                wrong.withLock { $0.add("\(member.link.name) has read \(channel) up to \(found), not \(offset)") }
            }
        }
        result.markersAsked = markers.count
        result.wrongMarkers = wrong.withLock(\.count)
        result.problems.add(wrong.withLock(\.lines))
    }

    /// - Returns: A description of the difference; nil if there is none.
    static func difference(of message: String, _ found: [Reaction], from expected: [String: Int]) -> String? {
        let found = found.filter { $0.count > 0 }.map { ($0.key, $0.count) }
        guard found.count == expected.count, found.allSatisfy({ expected[$0.0] == $0.1 }) else {
            func text(_ counts: [(String, Int)]) -> String {
                counts.isEmpty ? "none" : counts.sorted(by: <).map { "\($0.1) \($0.0)" }.joined(separator: ", ")
            }
            return "reactions of \(message): \(text(found)), not \(text(expected.map { ($0.key, $0.value) }))"
        }
        return nil
    }
}
