import API
import ChatEngine
import ChatModel
import Gateway
import Metrics
import Synchronization

/// Receives the answers to requests with an idempotency key. It is a port beside those of the loops, because these
/// answers are kept even when the requesting connection is gone, which is what the keys are for.
package final class IdempotencyDesk: DeliveryPort {
    private struct State {
        var ofKeys: AnswerMemory
        var ofUsers: AnswerMemory
        /// By the serial in the return address.
        var waiting: [UInt64: @Sendable (Answer) -> Void] = [:]
        var serial: UInt64 = 0

        mutating func memory<Result>(of caller: AnswerMemory.Caller, _ body: (inout AnswerMemory) -> Result) -> Result {
            switch caller {
            case .key: body(&ofKeys)
            case .user: body(&ofUsers)
            }
        }
    }

    enum Beginning {
        /// The request must be executed; its answer goes to this address.
        case fresh(ReturnAddress)
        case again(KeptAnswer)
    }

    private let state: Mutex<State>
    /// The port's index in the engine.
    private let index: Int
    private let answers: Gauge
    private let repeats: Counter
    private let unkept: Counter
    private let bytes: Gauge

    package init(index: Int, limits: AnswerMemory.Limits, metrics factory: any MetricsFactory) {
        self.index = index
        state = Mutex(
            State(
                ofKeys: AnswerMemory(limits, share: limits.ofKey), ofUsers: AnswerMemory(limits, share: limits.ofUser)))
        answers = Gauge(label: "belfry_idempotency_answers", factory: factory)
        repeats = Counter(label: "belfry_idempotency_repeats_total", factory: factory)
        unkept = Counter(label: "belfry_idempotency_unkept_total", factory: factory)
        bytes = Gauge(label: "belfry_idempotency_bytes", factory: factory)
    }

    package func deliver(_ batch: [Delivery]) {
        for case .answered(let address, let answer) in batch {
            state.withLock { $0.waiting.removeValue(forKey: address.connection.serial) }?(answer)
        }
    }

    /// - Parameters:
    ///   - origin: A guest's network, which is also charged for requests with a key.
    ///   - now: Milliseconds since 1970.
    ///   - handOver: Called once with the answer to a fresh request, on any queue; `finish` must follow.
    /// - Throws: 1036 when the key was used for another request, 1037 while the request is in progress, 1038 when it
    ///   was executed and its answer is no longer kept, 111 when too many are in progress.
    func begin(
        _ name: AnswerMemory.Name, _ request: RequestFingerprint, from origin: GuestOrigin?, at now: Int64,
        handOver: @escaping @Sendable (Answer) -> Void
    ) throws(Rejection) -> Beginning {
        let (verdict, serial) = state.withLock { state in
            let verdict = state.memory(of: name.caller) { $0.begin(name, request, at: now) }
            guard verdict == .fresh else { return (verdict, UInt64(0)) }
            state.serial += 1
            state.waiting[state.serial] = handOver
            return (verdict, state.serial)
        }
        switch verdict {
        case .fresh: return .fresh(address(serial, origin))
        case .again(let answer):
            repeats.increment()
            return .again(answer)
        case .unkept:
            unkept.increment()
            throw Rejection(.answerNotKept)
        case .anotherRequest: throw Rejection(.idempotencyKeyReused)
        case .underWay: throw Rejection(.requestUnderWay)
        case .full: throw Rejection(.tooManyRequests, "Idempotency-Key")
        }
    }

    /// - Parameter answer: `nil` when nothing is to be kept.
    func finish(_ name: AnswerMemory.Name, with answer: KeptAnswer?, at now: Int64) {
        let (count, byteCount) = state.withLock { state in
            state.memory(of: name.caller) { $0.finish(name, with: answer, at: now) }
            return (state.ofKeys.count + state.ofUsers.count, state.ofKeys.byteCount + state.ofUsers.byteCount)
        }
        answers.record(count)
        bytes.record(byteCount)
    }

    /// An address for the chat's verdict on whether a caller may still get a stored answer.
    ///
    /// - Parameter handOver: Called once with the verdict, on any queue.
    func awaitAnswer(from origin: GuestOrigin?, _ handOver: @escaping @Sendable (Answer) -> Void) -> ReturnAddress {
        let serial = state.withLock { state in
            state.serial += 1
            state.waiting[state.serial] = handOver
            return state.serial
        }
        return address(serial, origin)
    }

    private func address(_ serial: UInt64, _ origin: GuestOrigin?) -> ReturnAddress {
        ReturnAddress(connection: ConnectionID(loop: index, serial: serial), command: 0, guestOrigin: origin)
    }

    /// Takes back a request that `begin` registered but that was not started, so no answer will come.
    func cancel(_ address: ReturnAddress, _ name: AnswerMemory.Name) {
        state.withLock { state in
            state.waiting[address.connection.serial] = nil
            state.memory(of: name.caller) { $0.finish(name, with: nil, at: 0) }
        }
    }
}
