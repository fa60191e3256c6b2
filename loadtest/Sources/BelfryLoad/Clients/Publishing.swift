import BelfryClient
import Dispatch
import Foundation

/// Sends test messages into one channel at their times, whatever becomes of those before (open loop).
struct Publishing: Sendable {
    let run: String
    let channel: ChannelID
    let textBytes: Int
    let pace: Pace
    let publishers: [BelfryClient]
    let tally: SendTally

    /// Blocks the calling thread for as long as the messages say; answers may come later.
    ///
    /// - Parameters:
    ///   - messages: Which of them.
    ///   - start: When the first leaves, in nanoseconds of the monotonic clock.
    func run(_ messages: Range<Int>, from start: UInt64, in group: DispatchGroupBox) {
        pace.run(messages, from: start) { sequence, intended, late in
            tally.left(late: late)
            send(sequence, intended, in: group)
        }
    }

    private func send(_ sequence: Int, _ intended: UInt64, in group: DispatchGroupBox) {
        let text = MessageText(sequence: sequence, intended: intended).encoded(run: run, bytes: textBytes)
        let command = MessageText.command(text, in: channel, clientID: "\(run)-\(sequence)")
        let isMeasured = pace.stretch(of: sequence) != nil
        group.enter()
        publishers[sequence % publishers.count].rpc(method: SendMessage.method, data: command) { [tally] result in
            switch result {
            case .success: tally.acknowledged(after: Clock.since(intended), isMeasured: isMeasured)
            case .failure(let error): tally.failed(sequence, "\(error)")
            }
            group.leave()
        }
    }
}

/// Counts what is under way; may be used from everywhere.
final class DispatchGroupBox: Sendable {
    private let group = DispatchGroup()

    func enter() { group.enter() }
    func leave() { group.leave() }

    /// - Returns: False when something is still under way then.
    func wait(seconds: Int) async -> Bool {
        await withCheckedContinuation { done in
            DispatchQueue.global().async { [group] in
                done.resume(returning: group.wait(timeout: .now() + .seconds(seconds)) == .success)
            }
        }
    }

    /// Runs a body that blocks on a thread of its own, as something under way.
    func detach(_ body: @escaping @Sendable () -> Void) {
        group.enter()
        Thread.detachNewThread { [self] in
            body()
            leave()
        }
    }
}
