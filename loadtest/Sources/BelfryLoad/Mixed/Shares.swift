/// An activity of users in a chat.
enum Activity: Int, CaseIterable, Sendable {
    case send, reply, react, read, type

    /// The name in reports.
    var name: String {
        switch self {
        case .send: "send"
        case .reply: "reply in a thread"
        case .react: "react"
        case .read: "mark as read"
        case .type: "tell of typing"
        }
    }
}

/// The frequency of each activity.
///
/// The default resembles a human chat. There are about three read markers for two messages, because everyone who opens
/// a room marks it as read. Typing precedes every other message, one message in five is a reply in a thread, and one in
/// four gets a reaction.
struct Shares: Equatable, Sendable {
    static let standard = Shares([24, 6, 8, 46, 16])
    private let sums: [Int]

    /// - Parameter shares: The shares in the order of `Activity`, in any unit; at least one is above 0.
    private init(_ shares: [Int]) {
        sums = shares.reduce(into: []) { $0.append(($0.last ?? 0) + $1) }
    }

    /// - Parameter text: `send,reply,react,read,type`, such as `24,6,8,46,16`.
    /// - Returns: nil unless the text has five numbers from 0 to 1000, at least one of them above 0.
    init?(_ text: String) {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
        guard numbers.count == Activity.allCases.count, numbers.allSatisfy({ (0...1_000).contains($0) }),
            numbers.contains(where: { $0 > 0 })
        else { return nil }
        self.init(numbers)
    }

    func next(_ random: inout SeededGenerator) -> Activity {
        let place = random.number(below: sums.last ?? 1)
        return Activity.allCases.first { sums[$0.rawValue] > place } ?? .send
    }

    var text: String {
        sums.indices.map { String(sums[$0] - ($0 == 0 ? 0 : sums[$0 - 1])) }.joined(separator: ",")
    }
}
