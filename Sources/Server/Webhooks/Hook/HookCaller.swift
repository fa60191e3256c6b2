import CCurl
import ChatEngine
import ChatModel
import CoreMetrics
import Dispatch
import MetricTable
import Metrics
import Synchronization

/// Asks the app's hook with libcurl, many texts at the same time over a few connections that stay open (`MO4`).
///
/// One queue drives all requests, as long as some are under way.
package final class HookCaller: HookPort, @unchecked Sendable {
    package struct Limits: Sendable, Equatable {
        /// The requests under way, including those that wait for a connection; further ones are refused with 111.
        package var requests = 1_024
        /// The connections to the hook.
        package var connections = 64
        package init() {}
    }

    private struct Call: Sendable {
        let target: HookTarget
        let body: [UInt8]
        let begin: ContinuousClock.Instant
        let done: @Sendable (HookVerdict) -> Void
    }

    private struct Inbox {
        var calls: [Call] = []
        /// The calls that have no verdict yet.
        var count = 0
        var isRunning = false
        var isStopped = false
    }

    private let limits: Limits
    private let destinations: Destinations
    private let queue = DispatchQueue(label: "belfry.hook")
    private let inbox = Mutex(Inbox())
    private let multi: UnsafeMutableRawPointer?
    /// Confined to `queue`, by handle.
    private var transfers: [UnsafeMutableRawPointer: (transfer: Transfer, call: Call)] = [:]
    private let metrics: HookMetrics
    /// Milliseconds since 1970.
    private let clock: @Sendable () -> Int64

    package init(
        limits: Limits = Limits(), destinations: Destinations, metrics: any MetricsFactory,
        clock: @escaping @Sendable () -> Int64
    ) {
        self.limits = limits
        self.destinations = destinations
        self.metrics = HookMetrics(metrics)
        self.clock = clock
        multi = HTTPPost.isReady ? curl_multi_init() : nil
        if let multi {
            _ = belfry_curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, limits.connections)
        }
    }

    deinit {
        // Nothing is under way: what drives the requests keeps the caller.
        if let multi { curl_multi_cleanup(multi) }
    }

    package func ask(_ target: HookTarget, _ body: [UInt8], _ done: @escaping @Sendable (HookVerdict) -> Void) {
        let call = Call(target: target, body: body, begin: .now, done: done)
        let (isAccepted, mustRun) = inbox.withLock { inbox in
            guard !inbox.isStopped, inbox.count < limits.requests else { return (false, false) }
            inbox.count += 1
            metrics.requests.record(inbox.count)
            inbox.calls.append(call)
            defer { inbox.isRunning = true }
            return (true, !inbox.isRunning)
        }
        guard isAccepted else {
            metrics.count(.overloaded)
            return done(.overloaded)
        }
        if mustRun { queue.async { self.run() } } else if let multi { curl_multi_wakeup(multi) }
    }

    /// Ends all requests, as refused with 111.
    package func stop() {
        inbox.withLock { $0.isStopped = true }
        if let multi { curl_multi_wakeup(multi) }
    }

    // MARK: On `queue`

    /// Drives the requests until there are none.
    private func run() {
        dispatchPrecondition(condition: .onQueue(queue))
        while true {
            let (calls, isStopped) = inbox.withLock { inbox in
                defer { inbox.calls = [] }
                return (inbox.calls, inbox.isStopped)
            }
            for call in calls { start(call) }
            if isStopped { endAll() }
            if let multi, !transfers.isEmpty {
                var running: Int32 = 0
                curl_multi_perform(multi, &running)
                finishDone(multi)
                if !transfers.isEmpty { curl_multi_poll(multi, nil, 0, Self.pollMilliseconds, nil) }
            }
            let isIdle = inbox.withLock { inbox in
                guard inbox.calls.isEmpty, transfers.isEmpty else { return false }
                inbox.isRunning = false
                return true
            }
            if isIdle { return }
        }
    }

    private func start(_ call: Call) {
        guard let multi, let transfer = Transfer(call.target, call.body, destinations, at: clock()) else {
            return finish(call, .failed)
        }
        guard curl_multi_add_handle(multi, transfer.curl) == CURLM_OK else { return finish(call, .failed) }
        transfers[transfer.curl] = (transfer, call)
    }

    private func finishDone(_ multi: UnsafeMutableRawPointer) {
        var handle: UnsafeMutableRawPointer?
        var result = CURLE_OK
        while belfry_curl_next_done(multi, &handle, &result) == 1 {
            guard let curl = handle, let (transfer, call) = transfers.removeValue(forKey: curl) else { continue }
            curl_multi_remove_handle(multi, curl)
            if transfer.isAddressRefused { metrics.refusedAddresses.increment() }
            finish(call, transfer.verdict(result))
        }
    }

    private func endAll() {
        for (curl, request) in transfers {
            if let multi { curl_multi_remove_handle(multi, curl) }
            finish(request.call, .overloaded)
        }
        transfers = [:]
    }

    private func finish(_ call: Call, _ verdict: HookVerdict) {
        inbox.withLock { inbox in
            inbox.count -= 1
            metrics.requests.record(inbox.count)
        }
        metrics.count(verdict)
        metrics.seconds.record(duration: call.begin.duration(to: .now))
        call.done(verdict)
    }

    /// The longest poll. New calls wake it, and libcurl's timeouts shorten it.
    private static let pollMilliseconds: Int32 = 1_000
}

/// A request under way.
private final class Transfer {
    let curl: UnsafeMutableRawPointer
    private let opener: SocketOpener
    private let answer = AnswerBody(limit: HookAnswer.bytesLimit)
    private let fields: HeaderFields

    /// - Parameter now: Milliseconds since 1970.
    init?(_ target: HookTarget, _ body: [UInt8], _ destinations: Destinations, at now: Int64) {
        guard let curl = curl_easy_init() else { return nil }
        self.curl = curl
        opener = SocketOpener(destinations)
        let id = "hook_" + String(UInt64.random(in: .min ... .max), radix: 36)
        let signature = WebhookSignature(secret: target.secret, previous: target.previousSecret)
        fields = HeaderFields(signature.fields(id: id, body: body, at: now))
        guard opener.prepare(curl, for: target.hook.url, timeoutMilliseconds: target.hook.timeoutMilliseconds),
            belfry_curl_set_quick_exit(curl) == CURLE_OK, answer.attach(to: curl),
            HTTPPost.prepare(curl, body, fields)
        else { return nil }
    }

    deinit { curl_easy_cleanup(curl) }

    var isAddressRefused: Bool { opener.consumeRefusedAddress() != nil }

    func verdict(_ result: CURLcode) -> HookVerdict {
        guard result == CURLE_OK, belfry_curl_status(curl) == 200 else { return .failed }
        return HookAnswer.verdict(answer.bytes) ?? .failed
    }
}
