import ChatDomain
import ChatModel

extension WorstCase {
    /// The pages of an export that are measured; further ones are like them.
    private static let pages = 60

    static var exports: [WorstCase] {
        [
            pages("20,000 members, 2,000,000 reactions") {
                ExportChannel(channelID: Worst.hall(0), limit: 1_000, next: $0)
            },
            pages("messages of maximum size") { ExportChannel(channelID: Worst.large, limit: 1_000, next: $0) },
            pages("2,000 channels, messages among 100,000 by others") {
                ExportUser(userID: Worst.person(1), limit: 1_000, next: $0)
            },
        ]
    }

    /// Returns the slowest of the pages of one export.
    private static func pages<Q: Query>(
        _ note: String, _ make: @escaping (_ next: String?) -> Q
    ) -> WorstCase where Q.Response == ExportResponse {
        WorstCase(command: Q.method, note: note, runs: 1) { chat, _ in
            var slowest = WorstChat.Run()
            var next: String?
            for _ in 0..<pages {
                let query = make(next)
                let run = try chat.measure(query, as: .server)
                if run.longestTurn > slowest.longestTurn { slowest = run }
                next = try query.answer(from: chat.state, chat.context(.server)).next
                if next == nil { break }
            }
            return slowest
        }
    }
}
