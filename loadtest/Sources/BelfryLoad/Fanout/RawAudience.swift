import Foundation
import RawLoad
import Synchronization

/// Subscribers without the client library. One thread parses and checks all frames, so that one core can receive more
/// than a server can send.
///
/// Confined to that thread instead of a queue: others access it only before the thread starts and after it has ended.
final class RawAudience: FanoutAudience, @unchecked Sendable {
    private let plan: FanoutPlan
    private let names: [String]
    private let dialect: Dialect
    /// The number of the first subscriber.
    private let first: Int
    /// The ports of the server's nodes.
    private let nodes: [UInt16]
    private let tally: DeliveryTally
    private let ledgers: [Ledger]
    private let listeners: RawListeners
    private let marker: [UInt8]
    /// The beginning of a publication of the room, up to the offset.
    private let head: [UInt8]
    private let isOver = Atomic<Bool>(false)
    private let ended = DispatchSemaphore(value: 0)

    /// - Throws: `LoadError` for a server that raw connections cannot reach.
    init(_ plan: FanoutPlan, clients: Range<Int>, crowd: Crowd) throws {
        first = clients.lowerBound
        nodes = try crowd.urls.map(Self.port)
        self.plan = plan
        names = clients.map(plan.subscriberName)
        let tokens = crowd.tokens
        dialect = Dialect(.belfry(channel: plan.channel.rawValue, token: { try tokens.token(for: $0) }))
        tally = DeliveryTally(stretches: plan.pace.stretchCount)
        ledgers = clients.map { _ in Ledger(messages: plan.pace.messages) }
        listeners = try RawListeners()
        marker = MessageText.marker(run: plan.run)
        head = Array(#"{"push":{"channel":"\#(plan.channel)","pub":{"offset":"#.utf8)
    }

    /// - Throws: `LoadError` for another machine or TLS, which require the client library.
    static func port(in url: String) throws -> UInt16 {
        let parts = URLComponents(string: url)
        guard parts?.scheme == "ws", parts?.host == "127.0.0.1", parts?.path == "/connection/websocket",
            let port = parts?.port.flatMap({ UInt16(exactly: $0) })
        else { throw LoadError("--raw requires ws://127.0.0.1:PORT/connection/websocket, not \(url)") }
        return port
    }

    /// Connects the subscribers and has them join the channel.
    func connect() async throws {
        try await withCheckedThrowingContinuation { (connected: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread { [self] in
                do {
                    let ports = names.indices.map { nodes[(first + $0) % nodes.count] }
                    try listeners.gather(names, dialect: dialect, ports: ports, onPayload: receive)
                    connected.resume()
                } catch {
                    connected.resume(throwing: error)
                    ended.signal()
                    return
                }
                while !isOver.load(ordering: .acquiring) { try? listeners.turn(milliseconds: 20) }
                ended.signal()
            }
        }
    }

    func join() async throws {}

    var delivered: Int { tally.delivered.load(ordering: .relaxed) }

    /// Checks a frame, which contains one event.
    private func receive(_ listener: Int, _ payload: UnsafeRawBufferPointer) {
        guard payload.starts(with: head) else { return }
        var index = head.count
        guard let offset = ByteSearch.number(in: payload, &index, until: UInt8(ascii: ",")) else { return }
        ledgers[listener].record(offset: offset)
        guard let text = MessageText(in: payload, marker: marker), ledgers[listener].record(message: text.sequence)
        else { return }
        tally.recordDelivery(after: Clock.since(text.intended), in: plan.pace.stretch(of: text.sequence))
    }

    func findings(excusing failed: Set<Int>) async -> FanoutShare.Findings {
        isOver.store(true, ordering: .releasing)
        await withCheckedContinuation { done in
            Thread.detachNewThread { [self] in
                ended.wait()
                done.resume()
            }
        }
        var findings = FanoutShare.Findings(stretches: tally.latencies.map { CountedValues($0) })
        findings.nodes = [NodeLoad](nodes: nodes.count)
        for (number, loss) in listeners.leave().enumerated() {
            findings.nodes.add(client: first + number, deliveries: ledgers[number].heard)
            findings.hearing.add(
                names[number], ledgers[number].findings(sent: plan.pace.messages, excusing: failed),
                losses: loss.map { [$0] } ?? [], to: &findings.problems)
        }
        return findings
    }
}
