import CCurl

/// Collects the body of an answer up to a limit.
final class AnswerBody {
    private(set) var bytes: [UInt8] = []
    private let limit: Int
    private(set) var isTooLarge = false

    /// - Parameter limit: In bytes.
    init(limit: Int) { self.limit = limit }

    /// - Parameter curl: Must not receive anything after the body is gone.
    func attach(to curl: UnsafeMutableRawPointer) -> Bool {
        let writer: curl_write_callback = { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let (total, overflow) = size.multipliedReportingOverflow(by: count)
            guard !overflow else { return 0 }
            let more = UnsafeRawBufferPointer(start: bytes, count: total)
            return Unmanaged<AnswerBody>.fromOpaque(context).takeUnretainedValue().append(more)
        }
        return belfry_curl_set_writer(curl, writer, Unmanaged.passUnretained(self).toOpaque()) == CURLE_OK
    }

    /// - Returns: The number of bytes consumed, as libcurl expects; 0 aborts the transfer.
    private func append(_ more: UnsafeRawBufferPointer) -> Int {
        guard more.count <= limit - bytes.count else {
            isTooLarge = true
            return 0
        }
        bytes.append(contentsOf: more)
        return more.count
    }
}
