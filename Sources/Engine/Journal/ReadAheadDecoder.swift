import Dispatch

/// Decodes inputs on other threads, a bounded number ahead of the caller, who receives the outputs in order.
struct ReadAheadDecoder<Input: Sendable, Output: Sendable>: ~Copyable {
    /// Written on one queue, and read after waiting for `done`.
    private final class Slot: @unchecked Sendable {
        let done = DispatchSemaphore(value: 0)
        var output: Output?
    }

    private let decode: @Sendable (Input) -> Output
    private let queues: [DispatchQueue]
    private var slots: [Slot] = []
    private var next = 0
    private static var depth: Int { 16 }

    /// - Parameter threads: 0 decodes on the caller's thread.
    init(threads: Int, _ decode: @escaping @Sendable (Input) -> Output) {
        self.decode = decode
        queues = (0..<threads).map { DispatchQueue(label: "belfry.decoding.\($0)") }
    }

    /// - Parameter deliver: Receives an earlier input's output once enough inputs are ahead of it.
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
