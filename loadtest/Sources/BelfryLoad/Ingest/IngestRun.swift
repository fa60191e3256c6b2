import BelfryClient
import Dispatch
import Foundation

/// The parameters of an ingest run.
struct IngestPlan: Sendable {
    /// Distinguishes the users, channel and messages of this run from those of others on the same server.
    let run: String
    let channel: ChannelID
    var senders: Int
    /// Whether each sender sends its next message when the previous one is acknowledged, instead of following `pace`.
    var isClosedLoop: Bool
    /// The rate is ignored in a closed loop.
    var pace: Pace
    var textBytes: Int
    var loops: Int

    var warmupNanoseconds: UInt64 { UInt64(pace.warmupSeconds) * 1_000_000_000 }
    var nanoseconds: UInt64 { warmupNanoseconds + UInt64(pace.seconds) * 1_000_000_000 }

    func name(of sender: Int) -> String { "load-\(run)-p\(sender)" }
}

/// A scenario with many senders in one channel without subscribers: connects them, has them send, and checks every
/// reply.
struct IngestRun {
    let plan: IngestPlan
    let crowd: Crowd
    let server: ServerProcesses

    func run() async throws -> IngestResult {
        let loops = try Crowd.loops(plan.loops)
        let clients = try (0..<plan.senders).map {
            try crowd.sender(plan.name(of: $0), number: $0, on: loops[$0 % loops.count])
        }
        try await crowd.gather(clients, in: plan.channel, "senders")
        crowd.progress.show("sending for \(plan.pace.warmupSeconds + plan.pace.seconds) s")

        // Allow time for all clients to become idle.
        let start = Clock.now + 200_000_000
        let ledgers = loops.map { IngestLedger($0, measured: start + plan.warmupNanoseconds, pace: plan.pace) }
        let senders = clients.enumerated().map { Sender($0, $1, plan, ledgers[$0 % ledgers.count]) }
        let before = Sample(server: server)
        let pacing = SendTally()
        await send(senders, from: start, pacing)
        var result = IngestResult(plan: plan)
        result.remarks = pacing.remarks
        result.usage = Usage(from: before, to: Sample(server: server))
        for client in clients { client.disconnect() }
        // All earlier posted work on the loops has run when this returns, so the ledgers no longer change.
        for client in clients { _ = try? await client.connected() }
        result.conclude(ledgers)
        return result
    }

    /// Sends all messages, and returns when every one is answered.
    private func send(_ senders: [Sender], from start: UInt64, _ pacing: SendTally) async {
        let group = DispatchGroup()
        group.enter()
        Thread.detachNewThread { [plan] in
            Clock.sleep(until: start)
            if plan.isClosedLoop {
                for sender in senders {
                    group.enter()
                    sender.sendEach(until: start + plan.nanoseconds) { group.leave() }
                }
            } else {
                plan.pace.run(0..<plan.pace.messages, from: start) { sequence, intended, late in
                    pacing.recordSent(late: late)
                    group.enter()
                    senders[sequence % senders.count].send(sequence, began: intended) { _ in group.leave() }
                }
            }
            group.leave()
        }
        await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
    }
}
