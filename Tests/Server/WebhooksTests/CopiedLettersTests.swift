import ChatEngine
import ChatModel
import Dispatch
import Journal
import Synchronization
import Testing

@testable import Webhooks

/// Dead letters on the nodes of a cluster, of which one sends.
@Suite struct CopiedLettersTests {
    private let (first, second): (WebhookFolder, WebhookFolder)

    init() throws { (first, second) = (try WebhookFolder(), try WebhookFolder()) }

    private func node(_ folder: WebhookFolder, _ receiver: Receiver, last: UInt64 = 0) throws -> WebhookDispatcher {
        let dispatcher = try folder.dispatcher { $0.attempts = 1 }
        dispatcher.setSending(false)
        _ = dispatcher.begin([WebhookFolder.target(receiver.url)], base: 0, last: last)
        dispatcher.start()
        return dispatcher
    }

    /// Makes dead letters of events on a node that sends in this term.
    private func fail(_ frames: ClosedRange<UInt64>, on dispatcher: WebhookDispatcher, term: UInt64) {
        dispatcher.setSending(true, in: term)
        dispatcher.tell(frames)
        while !dispatcher.isIdle || dispatcher.positions["a"] != frames.upperBound {}
    }

    private func copy(_ letter: SharedLetter, from one: WebhookDispatcher, to other: WebhookDispatcher) async -> Bool {
        let body = await withCheckedContinuation { done in
            one.body(of: letter.serial, webhook: "a") { done.resume(returning: $0) }
        }
        return await keep(letter, body ?? [], on: other)
    }

    private func keep(_ letter: SharedLetter, _ body: [UInt8], on node: WebhookDispatcher) async -> Bool {
        await withCheckedContinuation { done in node.keep(letter, body, of: "a") { done.resume(returning: $0) } }
    }

    private func ids(_ dispatcher: WebhookDispatcher) -> [String] {
        dispatcher.letters(of: "a", after: 0, limit: 99).map(\.letter.eventID)
    }

    @Test func `L2: copied letters are listed and delivered again as on the node that gave up, also after a restart`()
        async throws
    {
        let receiver = Receiver(statuses: Array(repeating: 410, count: 3))
        let nodes = [try node(first, receiver), try node(second, receiver)]
        fail(1...3, on: nodes[0], term: 7)
        let letters = nodes[0].letters(of: "a", after: 0, limit: 99)
        #expect(letters.map(\.frame) == [1, 2, 3] && letters.allSatisfy { $0.serial >> 32 == 7 })
        // In any order.
        for letter in letters.reversed() { #expect(await copy(letter, from: nodes[0], to: nodes[1])) }
        #expect(await copy(letters[1], from: nodes[0], to: nodes[1]))
        #expect(nodes[1].letters(of: "a", after: 0, limit: 99) == letters)
        #expect(nodes[1].letters(of: "a", after: letters[0].serial, limit: 1) == [letters[1]])
        #expect(nodes[1].progress.letters == nodes[0].progress.letters)
        nodes[1].stop()
        let next = try node(second, receiver, last: 3)
        #expect(next.progress.letters == nodes[0].progress.letters)
        next.setSending(true, in: 8)
        let replayed = await withCheckedContinuation { done in
            next.replay(["e2"], of: "a") { done.resume(returning: $0) }
        }
        #expect(replayed == 1 && receiver.wait(for: 4).last?.body == #"{"id":"e2"}"#)
        while ids(next).count > 2 { await Task.yield() }
        #expect(ids(next) == ["e1", "e3"] && next.progress.letters != nodes[0].progress.letters)
        for dispatcher in [nodes[0], next] { dispatcher.stop() }
        receiver.stop()
    }

    @Test func `L2: an event that a node gives up after another began to send is left to that one`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let receiver = Receiver(statuses: [410], gate: gate)
        let dispatcher = try node(first, receiver)
        dispatcher.setSending(true, in: 7)
        dispatcher.tell(1...1)
        #expect(receiver.ids(1) == ["e1"])
        dispatcher.setSending(false, in: 8)
        gate.signal()
        // The failed attempt is counted afterwards.
        while dispatcher.figures.first?.attempts != 1 { await Task.yield() }
        #expect(ids(dispatcher).isEmpty && dispatcher.positions == ["a": 0])
        gate.signal()
        dispatcher.setSending(true, in: 9)
        // One more has arrived.
        #expect(receiver.ids(1) == ["e1", "e1"])
        dispatcher.stop()
        receiver.stop()
    }

    @Test func `L2: a letter that fails again is one of a frame that the webhook is done with`() async throws {
        let receiver = Receiver(statuses: [410, 410])
        let dispatcher = try node(first, receiver)
        fail(1...1, on: dispatcher, term: 7)
        let before = dispatcher.letters(of: "a", after: 0, limit: 9)
        let replayed = await withCheckedContinuation { done in
            dispatcher.replay(nil, of: "a") { done.resume(returning: $0) }
        }
        #expect(replayed == 1)
        while dispatcher.letters(of: "a", after: 0, limit: 9) == before { await Task.yield() }
        let after = dispatcher.letters(of: "a", after: 0, limit: 9)
        #expect(after.map(\.frame) == [1] && after[0].serial > before[0].serial)
        #expect(dispatcher.positions == ["a": 1])
        dispatcher.stop()
        receiver.stop()
    }

    @Test func `L2: a copied letter replaces that of the same event, and one of a later frame stays`() async throws {
        let receiver = Receiver(statuses: Array(repeating: 410, count: 2))
        let dispatcher = try node(first, receiver)
        fail(1...2, on: dispatcher, term: 7)
        dispatcher.setSending(false, in: 8)
        let mine = dispatcher.letters(of: "a", after: 0, limit: 99)
        let letter = DeadLetter(eventID: "e1", type: "push", at: 5, attempts: 3, status: nil)
        let theirs = SharedLetter(serial: 8 << 32 + 1, frame: 1, letter: letter)
        #expect(await keep(theirs, [1], on: dispatcher))
        #expect(dispatcher.letters(of: "a", after: 0, limit: 99) == [mine[1], theirs])
        dispatcher.removeLetters(of: "a", except: [theirs.serial], through: 1)
        #expect(ids(dispatcher) == ["e2", "e1"])
        dispatcher.removeLetters(of: "a", except: [theirs.serial], through: 2)
        #expect(ids(dispatcher) == ["e1"])
        // The queue that reads bodies removes files first.
        let body = await withCheckedContinuation { done in
            dispatcher.body(of: theirs.serial, webhook: "a") { done.resume(returning: $0) }
        }
        #expect(body == [1])
        dispatcher.stop()
        #expect(try WebhookStore(first.disk).letters.map(\.serial) == [theirs.serial])
        receiver.stop()
    }

    @Test func `L2: the node that sends takes no letters of others, and loses none to them`() async throws {
        let receiver = Receiver(statuses: [410])
        let dispatcher = try node(first, receiver)
        fail(1...1, on: dispatcher, term: 7)
        let before = dispatcher.progress
        let letter = DeadLetter(eventID: "e9", type: "push", at: 5, attempts: 3, status: nil)
        #expect(await !keep(SharedLetter(serial: 1, frame: 9, letter: letter), [1], on: dispatcher))
        dispatcher.removeLetters(of: "a", except: [], through: 9)
        #expect(dispatcher.progress == before && ids(dispatcher) == ["e1"])
        dispatcher.stop()
        receiver.stop()
    }

    @Test func `L2: a disk that fails keeps no copy, and the operator learns of it`() async throws {
        let receiver = Receiver()
        let dispatcher = try node(first, receiver)
        first.remove()
        let letter = DeadLetter(eventID: "e9", type: "push", at: 5, attempts: 3, status: nil)
        #expect(await !keep(SharedLetter(serial: 1, frame: 9, letter: letter), [1], on: dispatcher))
        #expect(ids(dispatcher).isEmpty)
        #expect(first.notices.all.contains { if case .writeFailed = $0 { true } else { false } })
        dispatcher.stop()
        receiver.stop()
    }

    @Test func `L2: while another node sends, replays go there`() async throws {
        let receiver = Receiver()
        let dispatcher = try node(first, receiver)
        dispatcher.setRemoteReplay { ids, webhook, done in done((ids?.count ?? 0) + webhook.utf8.count) }
        func replay(here: Bool = false) async -> Int? {
            await withCheckedContinuation { done in
                if here {
                    dispatcher.replayHere(["x", "y"], of: "a") { done.resume(returning: $0) }
                } else {
                    dispatcher.replay(["x", "y"], of: "a") { done.resume(returning: $0) }
                }
            }
        }
        #expect(await replay() == 3)
        #expect(await replay(here: true) == nil)
        dispatcher.setSending(true, in: 7)
        #expect(await replay() == 0)
        #expect(await replay(here: true) == 0)
        dispatcher.stop()
        receiver.stop()
    }

    @Test func `L2: a dead letter of an earlier version, without a frame, is read`() throws {
        try first.write("belfry dead letter 1\ne1 message.new 7 2 500\n{}", to: "dead.a.0000000000000003")
        let letter = try #require(try WebhookStore(first.disk).letters.first)
        #expect(letter.serial == 3 && letter.frame == 0 && letter.letter.eventID == "e1")
    }
}
