import BelfryClient
import Dispatch
import Foundation

/// Many senders in one channel in which nobody listens: connects them, lets them send, and checks every answer.
struct SendRun {
    let plan: SendPlan
    let crowd: Crowd
    /// The server's process; nil when it cannot be seen.
    let serverPID: Int32?

    func run() async throws -> SendResult {
        let loops = try (0..<plan.loops).map { try ClientLoop(label: "belfry-load-\($0)") }
        let clients = try (0..<plan.senders).map {
            try crowd.sender(plan.name(of: $0), on: loops[$0 % loops.count])
        }
        try await crowd.gather(clients, in: plan.channel, "senders")
        crowd.progress.clear()

        // A moment for everyone to have calmed down.
        let start = Clock.now + 200_000_000
        let ledgers = loops.map { SendLedger($0, measured: start + plan.warmupNanoseconds) }
        let senders = clients.enumerated().map { Sender($0, $1, plan, ledgers[$0 % ledgers.count]) }
        let sample = Sample(serverPID: serverPID, tallies: [])
        await send(senders, from: start)
        var result = SendResult(plan: plan)
        result.note(sample, Sample(serverPID: serverPID, tallies: []))
        for client in clients { client.disconnect() }
        // What was posted to the loops before has run when this is answered: the ledgers rest.
        for client in clients { _ = try? await client.connected() }
        result.conclude(ledgers)
        return result
    }

    /// Returns when every message is answered.
    private func send(_ senders: [Sender], from start: UInt64) async {
        let group = DispatchGroup()
        group.enter()
        Thread.detachNewThread { [plan] in
            Clock.sleep(until: start)
            if let rate = plan.rate {
                Self.pace(senders, rate, plan, start, group)
            } else {
                for sender in senders {
                    group.enter()
                    sender.sendEach(until: start + plan.nanoseconds) { group.leave() }
                }
            }
            group.leave()
        }
        await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
    }

    /// Sends at fixed times, whatever becomes of those before (open loop).
    private static func pace(
        _ senders: [Sender], _ rate: Int, _ plan: SendPlan, _ start: UInt64, _ group: DispatchGroup
    ) {
        for sequence in 0..<rate * (plan.warmupSeconds + plan.seconds) {
            let intended = start + Schedule.intended(sequence, rate: rate)
            Clock.sleep(until: intended)
            group.enter()
            senders[sequence % senders.count].send(sequence, began: intended) { _ in group.leave() }
        }
    }
}
