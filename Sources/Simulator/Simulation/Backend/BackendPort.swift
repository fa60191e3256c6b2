import ChatEngine
import Gateway
import Synchronization

/// Receives the answers to the backend's commands while its server lives.
final class BackendPort: DeliveryPort {
    private struct State {
        var answers: [(number: UInt32, answer: Answer)] = []
        var isOpen = true
    }

    private let state = Mutex(State())
    private let recorder: Recorder

    init(_ recorder: Recorder) { self.recorder = recorder }

    func deliver(_ batch: [Delivery]) {
        for case .answered(let address, let answer) in batch {
            guard state.withLock(\.isOpen) else { return }
            recorder.note(.obeyed(number: address.command, answer)) { $0.add(UInt64(address.command)) }
            state.withLock { $0.answers.append((address.command, answer)) }
        }
    }

    func take() -> [(number: UInt32, answer: Answer)] {
        state.withLock { state in
            defer { state.answers = [] }
            return state.answers
        }
    }

    /// Answers that arrive later are dropped.
    func close() { state.withLock { $0.isOpen = false } }
}
