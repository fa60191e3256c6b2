import Dispatch

/// A decoder that works on other threads, a limited number of inputs ahead of the caller. It delivers the outputs in
/// order.
struct ReadAheadDecoder<Input: Sendable, Output: Sendable>: ~Copyable {
    /// Written on one queue and read after waiting for `done`.
    private final class Slot: @unchecked Sendable {
        let done = DispatchSemaphore(value: 0)
        var output: Output?
    }

    private let decode: @Sendable (Input) -> Output
    private let queues: [DispatchQueue]
    private var slots: [Slot] = []
    private var next = 0
    private static var depth: Int { 16 }

    /// - Parameter threads: The number of decoding threads; 0 decodes on the caller's thread.
    init(threads: Int, _ decode: @escaping @Sendable (Input) -> Output) {
        self.decode = decode
        queues = (0..<threads).map { DispatchQueue(label: "belfry.decoding.\($0)") }
    }

    /// - Parameter deliver: Receives the output of an earlier input once enough later inputs are queued.
    mutating func add(_ input: Input, _ deliver: (Output) throws(JournalError) -> Void) throws(JournalError) {
        guard !queues.isEmpty else { return try deliver(decode(input)) }
        let slot = Slot()
        queues[next % queues.count].async { [decode] in
            slot.output = decode(input)
            slot.done.signal()
        }
        next += 1
        slots.append(slot)
        if slots.count > Self.depth { try deliverFirst(deliver) }
    }

    mutating func finish(_ deliver: (Output) throws(JournalError) -> Void) throws(JournalError) {
        while !slots.isEmpty { try deliverFirst(deliver) }
    }

    private mutating func deliverFirst(_ deliver: (Output) throws(JournalError) -> Void) throws(JournalError) {
        let slot = slots.removeFirst()
        slot.done.wait()
        if let output = slot.output { try deliver(output) }
    }
}
