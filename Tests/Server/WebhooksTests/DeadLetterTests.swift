import ChatModel
import Synchronization
import Testing

@testable import Webhooks

/// `L2`: deliveries. that are never accepted.
@Suite struct DeadLetterTests {
    private let folder: WebhookFolder
    private let receiver: Receiver

    init() throws {
        folder = try WebhookFolder()
        receiver = Receiver(statuses: Array(repeating: 410, count: 6))
    }

    /// Returns a dispatcher that has abandoned three events after two attempts each and delivered e4.
    private func scene(_ change: (inout WebhookLimits) -> Void = { _ in }) throws -> WebhookDispatcher {
        let dispatcher = try folder.dispatcher { limits in
            limits.attempts = 2
            change(&limits)
        }
        _ = dispatcher.begin([WebhookFolder.target(receiver.url)], base: 0, last: 0)
        dispatcher.start()
        dispatcher.tell(1...4)
        #expect(receiver.ids(7) == ["e1", "e1", "e2", "e2", "e3", "e3", "e4"])
        while !dispatcher.isIdle {}
        return dispatcher
    }

    private func letters(
        _ dispatcher: WebhookDispatcher, after serial: UInt64 = 0, limit: Int = 100
    ) -> (letters: [DeadLetter], next: UInt64?) {
        let page = Mutex<([DeadLetter], UInt64?)>(([], nil))
        dispatcher.deadLetters(of: "a", after: serial, limit: limit) { letters, next in
            page.withLock { $0 = (letters, next) }
        }
        return page.withLock(\.self)
    }

    private func replay(_ ids: [String]?, _ dispatcher: WebhookDispatcher, of webhook: String = "a") async -> Int? {
        await withCheckedContinuation { done in dispatcher.replay(ids, of: webhook) { done.resume(returning: $0) } }
    }

    @Test func `PR1: dead letters that name a deleted user go, and what waited too long is dropped`() async throws {
        let dispatcher = try scene()
        // The bodies are {"id":"e1"} and so on; ids are compared whole.
        for id in ["e2", "e"] {
            await withCheckedContinuation { done in
                dispatcher.erase([UserID(id)].compactMap(\.self)) { done.resume() }
            }
        }
        #expect(letters(dispatcher).letters.map(\.eventID) == ["e1", "e3"])
        dispatcher.stop()
        let next = try folder.dispatcher()
        _ = next.begin([WebhookFolder.target("http://127.0.0.1:9/")], base: 0, last: 4)
        next.start()
        #expect(letters(next).letters.map(\.eventID) == ["e1", "e3"])
        next.tell(5...8)
        #expect(next.positions["a"] ?? .max < 8)
        next.drop(through: 8)
        #expect(next.positions["a"] == 8)
        next.stop()
        receiver.stop()
    }

    @Test func `L2: abandoned deliveries are listed page by page, even after a restart`() throws {
        let dispatcher = try scene()
        let all = letters(dispatcher)
        #expect(all.letters.map(\.eventID) == ["e1", "e2", "e3"] && all.next == nil)
        let first = DeadLetter(eventID: "e1", type: "message.new", at: 1_780_000_000_999, attempts: 2, status: 410)
        #expect(all.letters.first == first)
        let page = letters(dispatcher, limit: 2)
        #expect(page.letters == Array(all.letters.prefix(2)))
        #expect(letters(dispatcher, after: page.next ?? 0, limit: 2).letters == [all.letters[2]])
        dispatcher.stop()
        let next = try folder.dispatcher()
        _ = next.begin([WebhookFolder.target(receiver.url)], base: 0, last: 4)
        next.start()
        #expect(letters(next).letters == all.letters)
        next.stop()
        receiver.stop()
    }

    @Test func `L2: dead letters can be delivered again, with the same ids and bytes`() async throws {
        let dispatcher = try scene()
        #expect(await replay(["e2", "e9"], dispatcher) == 1)
        #expect(receiver.wait(for: 1).last?.body == #"{"id":"e2"}"#)
        while letters(dispatcher).letters.count > 2 { await Task.yield() }
        #expect(letters(dispatcher).letters.map(\.eventID) == ["e1", "e3"])
        #expect(await replay(nil, dispatcher) == 2)
        #expect(receiver.ids(2).suffix(2) == ["e1", "e3"])
        while !letters(dispatcher).letters.isEmpty { await Task.yield() }
        #expect(await replay(nil, dispatcher) == 0)
        #expect(await replay(nil, dispatcher, of: "b") == 0)
        dispatcher.stop()
        #expect(try WebhookStore(folder.disk).lowest == 4)
        receiver.stop()
    }

    @Test func `L2: the oldest dead letter is evicted`() throws {
        let dispatcher = try scene { $0.deadLetters = 2 }
        #expect(letters(dispatcher).letters.map(\.eventID) == ["e2", "e3"])
        dispatcher.stop()
        receiver.stop()
    }

    @Test func `L2: if the limit of dead letters is zero, none are kept`() throws {
        let dispatcher = try scene { $0.deadLetters = 0 }
        #expect(letters(dispatcher).letters.isEmpty)
        dispatcher.stop()
        receiver.stop()
    }

    @Test func `L2: dead letters are deleted with their webhook`() throws {
        let dispatcher = try scene()
        dispatcher.configure([], at: 5)
        dispatcher.configure([WebhookFolder.target(receiver.url)], at: 6)
        #expect(letters(dispatcher).letters.isEmpty)
        dispatcher.stop()
        receiver.stop()
    }

    @Test func `L2: an unfinished dead letter from another process is not listed, and is removed`() throws {
        try folder.write("belfry dead", to: "dead.a.0000000000000001.new")
        let dispatcher = try folder.dispatcher()
        _ = dispatcher.begin([WebhookFolder.target(receiver.url)], base: 0, last: 0)
        #expect(letters(dispatcher).letters.isEmpty)
        #expect(try !folder.disk.names().contains { $0.hasPrefix("dead.") })
        dispatcher.stop()
        receiver.stop()
    }

    @Test func `L2: a damaged dead letter is discarded, and its content is not guessed`() throws {
        try folder.write("belfry dead letter 1\ne1 message.new x 2 500\n{}", to: "dead.a.0000000000000001")
        #expect(throws: WebhookStoreError.damaged("dead.a.0000000000000001")) { try WebhookStore(folder.disk) }
        receiver.stop()
    }
}
