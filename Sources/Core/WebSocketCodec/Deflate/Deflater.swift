import CZlib

/// Compresses whole messages. RFC 7692 §7.2.1.
///
/// Confined to the queue of its owner.
package final class Deflater {
    private static let stepBytes = 16_384
    private static let tailBytes = 4

    private let keepsContext: Bool
    /// At a stable address, because zlib's state points back at it.
    private let stream: UnsafeMutablePointer<z_stream>

    /// - Parameters:
    ///   - windowBits: The window as a power of two, 9–15.
    ///   - level: From 1 (fastest) to 9 (smallest output).
    ///   - memoryLevel: From 1 to 9; together with the window this takes 2^(bits + 2) + 2^(level + 9) bytes.
    ///   - keepsContext: Whether a message may refer to earlier ones.
    /// - Returns: Nil when memory runs out, or a parameter is out of range.
    package init?(windowBits: Int, level: Int = 1, memoryLevel: Int = 8, keepsContext: Bool) {
        self.keepsContext = keepsContext
        stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard (9...15).contains(windowBits), (1...9).contains(level), (1...9).contains(memoryLevel),
            belfry_deflate_open(
                stream, Int32(truncatingIfNeeded: level), Int32(truncatingIfNeeded: windowBits),
                Int32(truncatingIfNeeded: memoryLevel)) == Z_OK
        else {
            // `deinit` closes the empty stream without effect.
            return nil
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// - Parameter message: Less than 4 GiB.
    /// - Returns: The payload of the message's frame, without the tail that every message has; nil when it cannot be
    ///   compressed.
    package func deflate(_ message: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let count = UInt32(exactly: message.count) else { return nil }
        if !keepsContext { deflateReset(stream) }
        // Without input, zlib writes nothing the second time. One zero byte and the tail make an empty block. RFC 7692
        // §7.2.3.6.
        guard count > 0 else { return [0] }
        var payload: [UInt8] = []
        payload.reserveCapacity(message.count / 2 + 64)
        withUnsafeTemporaryAllocation(byteCount: Self.stepBytes, alignment: 16) { output in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: message.bindMemory(to: UInt8.self).baseAddress)
            stream.pointee.avail_in = count
            repeat {
                stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
                stream.pointee.avail_out = UInt32(truncatingIfNeeded: output.count)
                // The only possible error says that there was nothing left to do.
                CZlib.deflate(stream, Z_SYNC_FLUSH)
                payload.append(contentsOf: output[..<(output.count - Int(stream.pointee.avail_out))])
            } while stream.pointee.avail_out == 0
            stream.pointee.next_in = nil
            stream.pointee.next_out = nil
        }
        guard stream.pointee.avail_in == 0, payload.count > Self.tailBytes else { return nil }
        payload.removeLast(Self.tailBytes)
        return payload
    }

    /// Compresses an array.
    package func deflate(_ message: [UInt8]) -> [UInt8]? { message.withUnsafeBytes { deflate($0) } }
}
