import ChatEngine
import ChatModel
import Gateway
import MetricTable
import Metrics
import Synchronization

/// Commands from inside the process, and the tasks waiting for their answers.
package final class InProcessCalls: Sendable {
    private struct State {
        var waiting: [UInt64: CheckedContinuation<Answer, Never>] = [:]
        var serial: UInt64 = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let limit: Int
    private let inFlight: Meter
    private let refused: Counter

    /// - Parameter limit: Concurrent calls; at least 1.
    package init(limit: Int, metrics factory: any MetricsFactory) {
        self.limit = limit
        inFlight = Meter(.calls, factory)
        refused = Counter(.callsRefused, factory)
    }

    /// Starts a command and waits for its answer.
    ///
    /// - Parameter start: Receives the return address. Throws when it started nothing.
    package func call(_ start: @Sendable (ReturnAddress) throws(Rejection) -> Void) async -> Answer {
        await withCheckedContinuation { continuation in
            let entry = state.withLock { state -> Result<UInt64, Rejection> in
                if state.isClosed { return .failure(Rejection(.storageUnavailable, "the server has stopped")) }
                guard state.waiting.count < limit else { return .failure(Rejection(.tooManyRequests)) }
                state.serial += 1
                state.waiting[state.serial] = continuation
                return .success(state.serial)
            }
            switch entry {
            case .failure(let rejection):
                refused.increment()
                continuation.resume(returning: .failure(rejection))
            case .success(let serial):
                inFlight.increment()
                do throws(Rejection) {
                    try start(ReturnAddress { self.resume(serial, with: $0) })
                } catch {
                    resume(serial, with: .failure(error))
                }
            }
        }
    }

    private func resume(_ serial: UInt64, with answer: Answer) {
        guard let continuation = state.withLock({ $0.waiting.removeValue(forKey: serial) }) else { return }
        inFlight.decrement()
        continuation.resume(returning: answer)
    }

    /// Fails all waiting calls with 1041 (outcome unknown), because no more answers will arrive.
    package func close() {
        let left = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in left.sorted(by: { $0.key < $1.key }).map(\.value) {
            inFlight.decrement()
            continuation.resume(returning: .failure(Rejection(.outcomeUnknown)))
        }
    }
}
