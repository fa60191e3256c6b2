import CCurl
import EventLoops

/// Gets a small text by libcurl, on a connection of its own.
package enum HTTPGet {
    package enum Outcome: Sendable, Equatable {
        case body([UInt8])
        case status(Int)
        /// The name stands for an address that the request may not go to.
        case refused(IPAddress)
        case tooLarge
        /// libcurl's word for it.
        case noAnswer(String)
    }

    /// What has come, and how much may.
    private final class Body {
        var bytes: [UInt8] = []
        let most: Int
        var isTooLarge = false

        init(most: Int) { self.most = most }

        func take(_ more: UnsafeRawBufferPointer) -> Int {
            guard more.count <= most - bytes.count else {
                isTooLarge = true
                return 0
            }
            bytes.append(contentsOf: more)
            return more.count
        }
    }

    /// Blocks until the answer is there. Redirects are not followed, and no proxy of the environment is asked.
    ///
    /// - Parameters:
    ///   - most: Bytes of the answer.
    ///   - timeoutMilliseconds: From the look-up of the name to the last byte.
    package static func fetch(
        _ url: String, most: Int, timeoutMilliseconds: Int, to destinations: Destinations
    ) -> Outcome {
        guard HTTPPost.isReady, let curl = curl_easy_init() else { return .noAnswer("libcurl is not ready") }
        let body = Body(most: most)
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
            return Unmanaged<Body>.fromOpaque(context).takeUnretainedValue().take(more)
        }
        guard opener.prepare(curl, for: url, timeoutMilliseconds: timeoutMilliseconds),
            belfry_curl_set_writer(curl, writer, Unmanaged.passUnretained(body).toOpaque()) == CURLE_OK,
            belfry_curl_set_list(curl, CURLOPT_HTTPHEADER, fields) == CURLE_OK
        else { return .noAnswer("libcurl takes no such request") }
        let code = withExtendedLifetime((body, opener)) { curl_easy_perform(curl) }
        guard code == CURLE_OK else {
            if let address = opener.takeRefused() { return .refused(address) }
            return body.isTooLarge ? .tooLarge : .noAnswer(String(cString: curl_easy_strerror(code)))
        }
        let status = belfry_curl_status(curl)
        return status == 200 ? .body(body.bytes) : .status(status)
    }
}
