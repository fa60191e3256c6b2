import ChatModel
import TestSupport
import Testing

@testable import ChatDomain

/// `CH11`: a message unhides a channel without any write per user.
@Suite struct AutoUnhidersTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `CH11: a message unhides the channel for everyone who had hidden it, except its sender`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let people = (0..<6).compactMap { UserID("u\($0)") }
        var list = AutoUnhiders()
        /// The users who have hidden the channel, and whether it is visible to them again.
        var expected: [UserID: Bool] = [:]
        var offset: UInt64 = 0
        for _ in 0..<300 {
            let user = people.randomElement(using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                guard let user else { continue }
                list.insert(user, since: offset)
                expected[user] = false
            case 2:
                guard let user else { continue }
                list.remove(user)
                expected[user] = nil
            default:
                offset += UInt64.random(in: 1...3, using: &random)
                let sender = Bool.random(using: &random) ? user : nil
                list.recordMessage(at: offset, from: sender)
                for user in expected.keys where user != sender { expected[user] = true }
            }
            for user in people { #expect(list.isUnhidden(for: user) == expected[user] ?? false) }
            #expect(Array(list.users(except: user)) == expected.keys.filter { $0 != user }.sorted())
        }
    }
}
