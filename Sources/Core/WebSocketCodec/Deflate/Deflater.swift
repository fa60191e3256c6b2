import CZlib

/// A compressor for whole messages. RFC 7692 §7.2.1.
///
/// Confined to the queue of its owner.
package final class Deflater {
    private static let stepBytes = 16_384
    private static let tailBytes = 4

    private let keepsContext: Bool
    /// zlib's stream, at a stable address because zlib's internal state points to it.
    private let stream: UnsafeMutablePointer<z_stream>

    /// - Parameters:
    ///   - windowBits: The window size as a power of two, 9–15.
    ///   - level: The compression level, from 1 (fastest) to 9 (smallest output).
    ///   - memoryLevel: zlib's memory level, from 1 to 9. The total memory is 2^(windowBits + 2) + 2^(memoryLevel + 9)
    ///     bytes.
    ///   - keepsContext: Whether a message may refer to earlier ones.
    /// - Returns: Nil if memory runs out or a parameter is out of range.
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

    /// - Parameter message: The message, less than 4 GiB.
    /// - Returns: The payload of the message's frame, without the tail common to all messages; nil if compression
    ///   fails.
    package func deflate(_ message: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let count = UInt32(exactly: message.count) else { return nil }
        if !keepsContext { deflateReset(stream) }
        // With empty input, zlib writes nothing from the second call on. A zero byte and the tail form an empty block.
        // RFC 7692 §7.2.3.6.
        guard count > 0 else { return [0] }
        var payload: [UInt8] = []
        payload.reserveCapacity(message.count / 2 + 64)
        withUnsafeTemporaryAllocation(byteCount: Self.stepBytes, alignment: 16) { output in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: message.bindMemory(to: UInt8.self).baseAddress)
            stream.pointee.avail_in = count
            repeat {
                stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
                stream.pointee.avail_out = UInt32(truncatingIfNeeded: output.count)
                // The only possible error, `Z_BUF_ERROR`, means that nothing was left to do.
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

    package func deflate(_ message: [UInt8]) -> [UInt8]? { message.withUnsafeBytes { deflate($0) } }
}
