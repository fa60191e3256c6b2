import CCurl
import EventLoops

/// Fetches a small document with libcurl, on a new connection.
package enum HTTPGet {
    package enum Outcome: Sendable, Equatable {
        case body([UInt8])
        case status(Int)
        /// The name resolved to a forbidden address.
        case refused(IPAddress)
        case tooLarge
        /// libcurl's error message.
        case noAnswer(String)
    }

    /// Collects the body up to a limit.
    private final class Body {
        var bytes: [UInt8] = []
        let limit: Int
        var isTooLarge = false

        init(limit: Int) { self.limit = limit }

        /// - Returns: The number of bytes consumed, as libcurl expects; 0 aborts the transfer.
        func append(_ more: UnsafeRawBufferPointer) -> Int {
            guard more.count <= limit - bytes.count else {
                isTooLarge = true
                return 0
            }
            bytes.append(contentsOf: more)
            return more.count
        }
    }

    /// Fetches a document, blocking until the response is complete. Follows no redirects and ignores proxy settings in
    /// the environment.
    ///
    /// - Parameters:
    ///   - limit: The maximum size of the response in bytes.
    ///   - timeoutMilliseconds: From the DNS lookup to the last byte.
    package static func fetch(
        _ url: String, limit: Int, timeoutMilliseconds: Int, to destinations: Destinations
    ) -> Outcome {
        guard HTTPPost.isReady, let curl = curl_easy_init() else { return .noAnswer("libcurl is not ready") }
        let body = Body(limit: limit)
        let opener = SocketOpener(destinations)
        let fields = curl_slist_append(nil, "Accept: application/jwk-set+json, application/json")
        defer {
            curl_easy_cleanup(curl)
            curl_slist_free_all(fields)
        }
        let writer: curl_write_callback = { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let (total, overflow) = size.multipliedReportingOverflow(by: count)
            guard !overflow else { return 0 }
            let more = UnsafeRawBufferPointer(start: bytes, count: total)
            return Unmanaged<Body>.fromOpaque(context).takeUnretainedValue().append(more)
        }
        guard opener.prepare(curl, for: url, timeoutMilliseconds: timeoutMilliseconds),
            belfry_curl_set_writer(curl, writer, Unmanaged.passUnretained(body).toOpaque()) == CURLE_OK,
            belfry_curl_set_list(curl, CURLOPT_HTTPHEADER, fields) == CURLE_OK
        else { return .noAnswer("libcurl takes no such request") }
        let code = withExtendedLifetime((body, opener)) { curl_easy_perform(curl) }
        guard code == CURLE_OK else {
            if let address = opener.consumeRefusedAddress() { return .refused(address) }
            return body.isTooLarge ? .tooLarge : .noAnswer(String(cString: curl_easy_strerror(code)))
        }
        let status = belfry_curl_status(curl)
        return status == 200 ? .body(body.bytes) : .status(status)
    }
}
