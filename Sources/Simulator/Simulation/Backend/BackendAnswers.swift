import ChatEngine
import Gateway
import Synchronization

/// Receives the answers to the backend's commands while their server lives.
final class BackendAnswers: Sendable {
    private struct State {
        var answers: [(number: UInt32, answer: Answer)] = []
        var isOpen = true
    }

    private let state = Mutex(State())
    private let recorder: Recorder

    init(_ recorder: Recorder) { self.recorder = recorder }

    func receive(_ answer: Answer, to number: UInt32) {
        guard state.withLock(\.isOpen) else { return }
        recorder.record(.backendAnswered(number: number, answer)) { $0.add(UInt64(number)) }
        state.withLock { $0.answers.append((number, answer)) }
    }

    /// Removes and returns the answers received so far.
    func drain() -> [(number: UInt32, answer: Answer)] {
        state.withLock { state in
            defer { state.answers = [] }
            return state.answers
        }
    }

    /// Stops receiving; answers that arrive later are dropped.
    func close() { state.withLock { $0.isOpen = false } }
}
