import BelfryClient
import Dispatch
import Foundation

/// Sends test messages to one channel at their intended times, regardless of earlier ones (open loop).
struct Publishing: Sendable {
    let run: String
    let channel: ChannelID
    let textBytes: Int
    let pace: Pace
    let publishers: [BelfryClient]
    let tally: SendTally

    /// Blocks the calling thread until the last message is sent; replies may arrive later.
    ///
    /// - Parameters:
    ///   - messages: The numbers of the messages.
    ///   - start: The time of the first message, in nanoseconds of the monotonic clock.
    func run(_ messages: Range<Int>, from start: UInt64, in group: DispatchGroupBox) {
        pace.run(messages, from: start) { sequence, intended, late in
            tally.recordSent(late: late)
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
            case .success: tally.recordAcknowledgement(after: Clock.since(intended), isMeasured: isMeasured)
            case .failure(let error): tally.recordFailure(sequence, "\(error)")
            }
            group.leave()
        }
    }
}

/// Counts operations in progress, from any thread.
final class DispatchGroupBox: Sendable {
    private let group = DispatchGroup()

    func enter() { group.enter() }
    func leave() { group.leave() }

    /// - Returns: False if an operation is still in progress at the end.
    func wait(seconds: Int) async -> Bool {
        await withCheckedContinuation { done in
            DispatchQueue.global().async { [group] in
                done.resume(returning: group.wait(timeout: .now() + .seconds(seconds)) == .success)
            }
        }
    }

    /// Runs a blocking body in a new thread, counted as an operation in progress.
    func detach(_ body: @escaping @Sendable () -> Void) {
        group.enter()
        Thread.detachNewThread { [self] in
            body()
            leave()
        }
    }
}
