/// The contents of a file: the durable bytes, and the writes since.
struct SimulatedContent {
    var durable: [UInt8] = []
    var current: [UInt8] = []
    var writes: [SimulatedWrite] = []
    var isSizeDirty = false
}

struct SimulatedWrite {
    let offset: Int
    let bytes: [UInt8]
    /// Whether a sync of this write failed. The kernel then considers its pages clean, and no later sync writes them.
    var isLost = false
}

extension SimulatedContent {
    /// The size of a page in bytes. A crash keeps or loses a page as a whole.
    private static let page = 64

    mutating func put(_ bytes: [UInt8], at offset: Int) {
        current = current.padded(to: offset + bytes.count)
        current.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        writes.append(SimulatedWrite(offset: offset, bytes: bytes))
    }

    mutating func sync() {
        let lost = writes.filter(\.isLost)
        if lost.isEmpty {
            durable = current
        } else {
            durable =
                current.count < durable.count ? Array(durable[..<current.count]) : durable.padded(to: current.count)
            for write in writes where !write.isLost {
                durable = durable.padded(to: write.offset + write.bytes.count)
                durable.replaceSubrange(write.offset..<write.offset + write.bytes.count, with: write.bytes)
            }
        }
        writes = lost
        isSizeDirty = false
    }

    /// Returns the contents after a crash, which keeps or loses each page of each write since the last sync.
    func crashed(_ random: inout SplitMix) -> [UInt8] {
        var bytes = isSizeDirty && random.next() % 2 == 0 ? durable : durable.padded(to: current.count)
        for write in writes {
            for start in stride(from: 0, to: write.bytes.count, by: Self.page) where random.next() % 2 == 0 {
                let piece = write.bytes[start..<min(write.bytes.count, start + Self.page)]
                bytes = bytes.padded(to: write.offset + piece.endIndex)
                bytes.replaceSubrange(write.offset + piece.startIndex..<write.offset + piece.endIndex, with: piece)
            }
        }
        return bytes
    }
}

extension [UInt8] {
    func padded(to size: Int) -> [UInt8] {
        size > count ? self + [UInt8](repeating: 0, count: size - count) : self
    }
}
