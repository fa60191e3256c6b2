/// Bytes that could not be written at once, in order. What it may hold is bounded by the calls a session takes.
struct ByteOutbox {
    private var bytes: [UInt8] = []
    private var head = 0

    var isEmpty: Bool { head == bytes.count }
    var byteCount: Int { bytes.count - head }

    mutating func append(_ slice: ArraySlice<UInt8>) {
        if head > 0, head >= byteCount {
            bytes.removeFirst(head)
            head = 0
        }
        bytes += slice
    }

    /// Hands out what is to be written next.
    ///
    /// - Parameter write: Returns how many bytes it took; nil ends the attempt.
    mutating func drain(_ write: (UnsafeRawBufferPointer) -> Int?) {
        while !isEmpty {
            let taken = bytes.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[head...])) }
            guard let taken else { return }
            head += taken
        }
        bytes = []
        head = 0
    }
}
