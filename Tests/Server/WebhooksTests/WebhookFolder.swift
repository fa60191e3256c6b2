import ChatModel
import CoreMetrics
import EventLoops
import FoundationEssentials
import Journal
import Synchronization
import Testing

@testable import Webhooks

/// The webhooks' folder, with the dispatchers of successive processes.
final class WebhookFolder {
    let disk: PosixDisk
    let notices = Notices()
    private let path: String

    final class Notices: Sendable {
        private let list = Mutex<[WebhookNotice]>([])
        func add(_ notice: WebhookNotice) { list.withLock { $0.append(notice) } }
        var all: [WebhookNotice] { list.withLock(\.self) }
    }

    init() throws {
        path = "/tmp/belfry-webhooks-\(UUID().uuidString)"
        disk = try PosixDisk(folder: path)
    }

    deinit { remove() }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    func dispatcher(_ change: (inout WebhookLimits) -> Void = { _ in }) throws -> WebhookDispatcher {
        var limits = WebhookLimits()
        limits.destinations.allowed = ["127.0.0.1"].compactMap { IPRange($0) }
        limits.firstDelayMilliseconds = 2
        limits.maxDelayMilliseconds = 8
        limits.attempts = 1_000
        change(&limits)
        let notices = notices
        return WebhookDispatcher(
            limits: limits, metrics: NOOPMetricsHandler.instance,
            report: { id, address in Issue.record("\(id) may not go to \(address)") }, store: try WebhookStore(disk),
            notice: { notices.add($0) }, clock: { 1_780_000_000_999 })
    }

    func write(_ text: String, to name: String) throws {
        let file = try disk.create(name)
        try file.write(Array(text.utf8), at: 0)
    }

    static func target(_ url: String, id: String = "a") -> WebhookTarget {
        WebhookTarget(webhook: Webhook(id: id, url: url, events: .all), secret: "0123456789abcdef01234567")
    }
}

extension UserID: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        guard let id = UserID(text) else { preconditionFailure("not a user id") }
        self = id
    }
}

extension WebhookDispatcher {
    /// Delivers an event when nothing from earlier frames is pending.
    func deliver(_ type: String, id: String, body: [UInt8], by user: UserID? = nil, of frame: UInt64) {
        deliver(type, id: id, body: body, by: user, of: frame, after: frame - 1)
    }

    /// Delivers an event for each of these frames, named after it.
    func tell(_ frames: ClosedRange<UInt64>, by user: UserID? = nil) {
        for frame in frames {
            deliver("message.new", id: "e\(frame)", body: Array(#"{"id":"e\#(frame)"}"#.utf8), by: user, of: frame)
            advance(to: frame)
        }
    }

    /// Waits until the stored cursor has reached a frame.
    func wait(lastDelivered frame: UInt64) async throws {
        for _ in 0..<6_000 where lastDelivered != frame { try await Task.sleep(for: .milliseconds(10)) }
        #expect(lastDelivered == frame)
    }
}

extension Receiver {
    func ids(_ count: Int) -> [String] { wait(for: count).compactMap { $0.fields["webhook-id"] } }
}
