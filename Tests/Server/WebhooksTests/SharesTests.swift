import ChatModel
import Testing

@testable import Webhooks

/// Issue 20, N91: one user's events filled a slow webhook's queue, and everyone else's were dropped.
@Suite struct SharesTests {
    private let mallory: UserID = "mallory"

    @Test func `any user can fill a queue up to half, and beyond that only up to an eighth`() {
        var shares = Shares(events: .max, bytes: 800)
        func fill(_ sharer: Sharer) -> Int {
            var count = 0
            while count < 10_000, shares.admits(10, from: sharer) {
                shares.add(10, from: sharer)
                count += 1
            }
            return count
        }
        #expect(fill(.user(mallory)) == 40)
        #expect(fill(.user("ann")) == 10)
        #expect(fill(.guests) == 10)
        #expect(fill(.user("bob")) == 10)
        #expect(fill(.app) == 10_000, "the app's own events have no share")
        for _ in 0..<31 { shares.remove(10, from: .user(mallory)) }
        #expect(shares.admits(10, from: .user(mallory)))
        shares.remove(10, from: .guests)
        #expect(shares.admits(10, from: .guests) && !shares.admits(11, from: .user("bob")))
        for _ in 0..<9 { shares.remove(10, from: .guests) }
        #expect(shares.count == 3, "whoever has nothing in it is forgotten")
    }

    @Test func `a limit in events is shared too, and every user's first event is accepted`() {
        var shares = Shares(events: 16, bytes: 1_000)
        for _ in 0..<8 {
            #expect(shares.admits(1, from: .user(mallory)))
            shares.add(1, from: .user(mallory))
        }
        #expect(!shares.admits(1, from: .user(mallory)))
        #expect(shares.admits(5_000, from: .user("ann")))
        for _ in 0..<2 { shares.add(1, from: .user("ann")) }
        #expect(!shares.admits(1, from: .user("ann")))
        shares.removeAll()
        #expect(shares.admits(1, from: .user(mallory)) && shares.count == 0)
    }

    @Test(arguments: [true, false])
    func `L2: a slow webhook loses events of the user who floods it, and of no other`(hasFiles: Bool) throws {
        let folder = try WebhookFolder()
        var limits = WebhookLimits()
        limits.queueEvents = 64
        limits.queueBytes = 100_000
        limits.overflowBytes = 100_000
        var queue = DeliveryQueue(limits, overflow: hasFiles ? OverflowFile(folder.disk, webhook: "a") : nil)
        var frame: UInt64 = 0
        func add(_ count: Int, _ size: Int, by sharer: Sharer) -> Int {
            (0..<count).reduce(0) { dropped, _ in
                frame += 1
                return dropped
                    + queue.append(
                        "message.new", id: "e\(frame)", body: Array(repeating: 7, count: size), of: frame, by: sharer
                    ).count
            }
        }
        let body = hasFiles ? 1_000 : 10
        let dropped = add(1_000, body, by: .user(mallory))
        #expect(dropped == (hasFiles ? 900 : 968))
        #expect(queue.resetOverShareCount() == dropped && queue.resetOverShareCount() == 0)
        for number in 0..<20 { #expect(add(1, body, by: .user(UserID("u\(number)") ?? mallory)) == 0) }
        #expect(add(1, body, by: .user(mallory)) == 1)
        // All events leave the queue in order, and then there is space again.
        var last: UInt64 = 0
        while let first = queue.first {
            #expect(first.frame > last)
            last = first.frame
            queue.remove(first)
        }
        #expect(queue.count == 0 && add(1, body, by: .user(mallory)) == 0)
        queue.removeAll()
    }
}
