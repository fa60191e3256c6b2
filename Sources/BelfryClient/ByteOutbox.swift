/// Bytes waiting to be written, in order. Bounded by the calls that a session accepts.
///
/// A server's `Outbox` keeps frames separate so that it can drop and count them. This type joins them, so that calls
/// made while the socket was full leave in one write.
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

    /// Passes the next bytes to `write` until none are left.
    ///
    /// - Parameter write: Returns how many bytes it accepted; nil stops.
    mutating func drain(_ write: (UnsafeRawBufferPointer) -> Int?) {
        while !isEmpty {
            let written = bytes.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[head...])) }
            guard let written else { return }
            head += written
        }
        bytes = []
        head = 0
    }
}
