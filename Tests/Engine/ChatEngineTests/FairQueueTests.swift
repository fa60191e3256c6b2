import ChatModel
import Testing

@testable import ChatEngine

@Suite struct FairQueueTests {
    private typealias Queue = FairQueue<String>

    private func user(_ name: String) -> UserID {
        guard let id = UserID(name) else { preconditionFailure("not a user id") }
        return id
    }

    /// Returns the order in which all items are served, given the cost of each.
    private func order(_ queue: inout Queue, cost: (String) -> Int) -> [String] {
        var order: [String] = []
        while let (item, lane) = queue.next() {
            order.append(item)
            queue.finishTurn(of: lane, cost: cost(item))
        }
        return order
    }

    @Test func `a lane keeps the order of its items`() {
        var queue = Queue()
        for number in 1...4 { queue.append("\(number)", to: .server, of: .server) }
        #expect(order(&queue) { _ in 1_000 } == ["1", "2", "3", "4"])
        #expect(queue.isEmpty)
    }

    @Test func `one user's hundred expensive commands never all run before another user's first command`() {
        var queue = Queue()
        let (eve, ann) = (user("eve"), user("ann"))
        for number in 1...100 { queue.append("eve \(number)", to: .user(eve), of: .user(eve)) }
        let first = queue.next()
        #expect(first?.item == "eve 1")
        // This item arrives while the first one is running.
        queue.append("ann", to: .user(ann), of: .user(ann))
        if let first { queue.finishTurn(of: first.lane, cost: 5_000_000) }
        #expect(queue.next()?.item == "ann")
    }

    @Test func `guests from one address share one turn`() {
        var queue = Queue()
        let ann = user("ann")
        for number in 1...10 {
            queue.append("guest \(number)", to: .user(user("g\(number)")), of: .guests(of: "192.0.2.1"))
        }
        for number in 1...3 { queue.append("ann \(number)", to: .user(ann), of: .user(ann)) }
        let order = order(&queue) { _ in 1_000 }
        #expect(order.prefix(6).filter { $0.hasPrefix("ann") }.count == 3)
    }

    @Test func `the server gets several turns for each user's turn`() {
        var queue = Queue()
        let eve = user("eve")
        for number in 1...20 {
            queue.append("server \(number)", to: .server, of: .server)
            queue.append("eve \(number)", to: .user(eve), of: .user(eve))
        }
        let order = order(&queue) { _ in 1_000 }
        #expect(order.prefix(10).filter { $0.hasPrefix("server") }.count >= 7)
    }

    @Test func `the remainder of an item precedes the lane's next item`() {
        var queue = Queue()
        let (eve, ann) = (user("eve"), user("ann"))
        queue.append("list", to: .user(eve), of: .user(eve))
        queue.append("next", to: .user(eve), of: .user(eve))
        queue.append("ann", to: .user(ann), of: .user(ann))
        let first = queue.next()
        #expect(first?.item == "list")
        if let first { queue.finishTurn(of: first.lane, cost: 2_000_000, rest: "rest of the list") }
        #expect(queue.count == 3)
        #expect(order(&queue) { _ in 1_000 } == ["ann", "rest of the list", "next"])
    }

    @Test func `idle time earns no credit`() {
        var queue = Queue()
        let (eve, ann) = (user("eve"), user("ann"))
        for number in 1...50 { queue.append("eve \(number)", to: .user(eve), of: .user(eve)) }
        for _ in 1...40 { if let next = queue.next() { queue.finishTurn(of: next.lane, cost: 1_000_000) } }
        for number in 1...10 { queue.append("ann \(number)", to: .user(ann), of: .user(ann)) }
        // From now on both get the same number of turns, because ann's idle time earns no credit.
        let order = order(&queue) { _ in 1_000_000 }
        #expect(order.prefix(6).filter { $0.hasPrefix("eve") }.count >= 2)
    }

    @Test func `payers that are not ahead of the others are discarded`() {
        var queue = Queue()
        for number in 1...20_000 {
            let id = user("u\(number)")
            queue.append("x", to: .user(id), of: .user(id))
            if let next = queue.next() { queue.finishTurn(of: next.lane, cost: 10) }
        }
        #expect(queue.payerCount <= 2_048)
    }

    @Test func `a lane whose payer changes with every item does not accumulate payers`() {
        var queue = Queue()
        let guest = user("g")
        for number in 0..<10_000 {
            queue.append("x", to: .user(guest), of: .guests(of: "\(number)"))
            if let (_, lane) = queue.next() { queue.finishTurn(of: lane, cost: 1_000) }
        }
        #expect(queue.payerCount <= 2_048)
    }
}
