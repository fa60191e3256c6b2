import ChatEngine
import ChatModel
import CoreMetrics
import Dispatch
import EventLoops
import Glibc
import Synchronization
import Testing
import Webhooks

/// Covers `MO4`: requests to the hook, over real sockets.
@Suite struct HookCallerTests {
    private let secret = "0123456789abcdef01234567"

    private func caller(allows: Bool = true, _ change: (inout HookCaller.Limits) -> Void = { _ in }) -> HookCaller {
        var limits = HookCaller.Limits()
        change(&limits)
        var destinations = Destinations()
        if allows { destinations.allowed = ["127.0.0.1"].compactMap { IPRange($0) } }
        return HookCaller(
            limits: limits, destinations: destinations, metrics: NOOPMetricsHandler.instance,
            clock: { 1_780_000_000_999 })
    }

    private func target(_ url: String, timeout: Int = 30_000, previous: String? = nil) -> HookTarget {
        HookTarget(
            hook: MessageHook(url: url, timeoutMilliseconds: timeout, onFailure: .refuse), secret: secret,
            previousSecret: previous)
    }

    private func verdict(_ caller: HookCaller, _ target: HookTarget, _ body: String = "{}") async -> HookVerdict {
        await withCheckedContinuation { continuation in
            caller.ask(target, Array(body.utf8)) { continuation.resume(returning: $0) }
        }
    }

    @Test func `MO4: a request is signed as webhooks are, and its answer is the verdict`() async throws {
        let answers: [(String, HookVerdict)] = [
            (#"{"action":"allow"}"#, .allow), (#" {"action":"allow","more":[1]} "#, .allow),
            (#"{"action":"refuse"}"#, .refuse(reason: "")),
            (#"{"action":"refuse","reason":"rude"}"#, .refuse(reason: "rude")),
            (#"{"action":"replace","text":"\u00e9"}"#, .replace(text: "é")),
        ]
        let next = Atomic(0)
        let receiver = HTTPReceiver { _ in
            HTTPReceiver.response(answers[next.add(1, ordering: .relaxed).oldValue].0)
        }
        defer { receiver.stop() }
        let caller = caller()
        for (_, expected) in answers {
            #expect(await verdict(caller, target(receiver.url, previous: "previous" + secret), #"{"a":1}"#) == expected)
        }
        let request = try #require(receiver.received.first)
        #expect(request.body == #"{"a":1}"# && request.fields["content-type"] == "application/json")
        let id = try #require(request.fields["webhook-id"])
        let signature = WebhookSignature(secret: secret, previous: "previous" + secret)
            .header(id: id, timestamp: 1_780_000_000, body: Array(request.body.utf8))
        #expect(request.fields["webhook-signature"] == signature && request.fields["webhook-timestamp"] == "1780000000")
        #expect(Set(receiver.received.compactMap { $0.fields["webhook-id"] }).count == answers.count)
    }

    @Test(arguments: [
        "", "x", "[]", "{}", "null", #"{"action":"allow"} x"#, #"{"action":"ALLOW"}"#, #"{"action":1}"#,
        #"{"action":"allow","action":"refuse"}"#, #"{"action":"refuse","reason":1}"#, #"{"action":"replace"}"#,
        #"{"action":"replace","text":""}"#, #"{"action":"replace","text":1}"#, #"{"action":"replace","text":"\ud800"}"#,
        #"{"action":"refuse","reason":""# + String(repeating: "a", count: 257) + #""}"#,
        #"{"action":"replace","text":""# + String(repeating: "a", count: 16_385) + #""}"#,
        String(repeating: "[", count: 100_000),
    ])
    func `MO4: an answer that is not valid is no verdict`(body: String) async {
        let receiver = HTTPReceiver { _ in HTTPReceiver.response(body) }
        defer { receiver.stop() }
        #expect(await verdict(caller(), target(receiver.url)) == .failed)
    }

    @Test(arguments: [
        HTTPReceiver.response(#"{"action":"allow"}"#, status: 500), HTTPReceiver.response("", status: 204),
        HTTPReceiver.response(#"{"action":"allow"}"#, status: 302, fields: "Location: http://127.0.0.1:1/\r\n"),
        Array("HTTP/1.1 200 x\r\nContent-Length: 1000\r\n\r\n{}".utf8), Array("garbage\r\n\r\n".utf8), [],
        Array("HTTP/1.1 200 x\r\nContent-Length: 18\r\n\r\n\0\0\0".utf8),
    ])
    func `MO4: a status other than 200, a redirect, a lie about the length and garbage are no verdict`(
        answer: [UInt8]
    ) async {
        let receiver = HTTPReceiver { _ in answer }
        defer { receiver.stop() }
        #expect(await verdict(caller(), target(receiver.url, timeout: 300)) == .failed)
        #expect(receiver.received.count == 1)
    }

    @Test func `MO4: an answer of a gigabyte is not read to its end`() async {
        let sent = Atomic(0)
        let receiver = HTTPReceiver { _ in
            sent.add(1, ordering: .relaxed)
            let head = Array("HTTP/1.1 200 x\r\nContent-Length: 1073741824\r\n\r\n".utf8)
            return head + [UInt8](repeating: 0x20, count: 16_777_216)
        }
        defer { receiver.stop() }
        // Only the size can end it: nothing else happens for 30 s.
        #expect(await verdict(caller(), target(receiver.url)) == .failed)
        #expect(sent.load(ordering: .relaxed) == 1)
    }

    @Test func `MO4: a hook that hangs takes the time of its own requests only, and the next ones go on`() async {
        let receiver = HTTPReceiver { $0.body.contains("hang") ? nil : HTTPReceiver.response(#"{"action":"allow"}"#) }
        defer { receiver.stop() }
        let caller = caller()
        async let hanging = verdict(caller, target(receiver.url, timeout: 60_000), #"{"hang":1}"#)
        #expect(await verdict(caller, target(receiver.url)) == .allow)
        #expect(await verdict(caller, target(receiver.url, timeout: 50), #"{"hang":2}"#) == .failed)
        caller.stop()
        #expect(await hanging == .overloaded)
        #expect(await verdict(caller, target(receiver.url)) == .overloaded)
    }

    @Test func `MO4: many texts are asked about at the same time, over a few connections`() async {
        let peers = Mutex<(now: Int, most: Int)>((0, 0))
        let receiver = HTTPReceiver { request in
            peers.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            usleep(2_000)
            peers.withLock { $0.now -= 1 }
            return HTTPReceiver.response(#"{"action":"replace","text":"\#(request.body.filter(\.isNumber))"}"#)
        }
        defer { receiver.stop() }
        let caller = caller { $0.connections = 8 }
        let target = target(receiver.url)
        await withTaskGroup(of: Bool.self) { group in
            for index in 0..<200 {
                group.addTask { await verdict(caller, target, "{\"n\":\(index)}") == .replace(text: "\(index)") }
            }
            for await isRight in group { #expect(isRight) }
        }
        #expect(peers.withLock(\.most) <= 8)
    }

    @Test func `MO4: requests beyond the limit are not sent`() async {
        let receiver = HTTPReceiver { _ in nil }
        defer { receiver.stop() }
        let caller = caller { $0.requests = 2 }
        async let first = verdict(caller, target(receiver.url, timeout: 60_000))
        async let second = verdict(caller, target(receiver.url, timeout: 60_000))
        // Sleeping would keep a thread that the requests may need.
        while receiver.received.count < 2 { await Task.yield() }
        #expect(await verdict(caller, target(receiver.url)) == .overloaded)
        caller.stop()
        #expect(await [first, second] == [.overloaded, .overloaded])
        #expect(receiver.received.count == 2)
    }

    @Test func `MO4: the hook cannot lead into the operator's network`() async {
        let receiver = HTTPReceiver { _ in HTTPReceiver.response(#"{"action":"allow"}"#) }
        defer { receiver.stop() }
        #expect(await verdict(caller(allows: false), target(receiver.url)) == .failed)
        #expect(await verdict(caller(), target("http://127.0.0.1:1/")) == .failed)
        #expect(await verdict(caller(), target("http://name.invalid/")) == .failed)
        #expect(receiver.received.isEmpty)
    }
}
