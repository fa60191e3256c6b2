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
        let body = AnswerBody(limit: limit)
        let opener = SocketOpener(destinations)
        let fields = curl_slist_append(nil, "Accept: application/jwk-set+json, application/json")
        defer {
            curl_easy_cleanup(curl)
            curl_slist_free_all(fields)
        }
        guard opener.prepare(curl, for: url, timeoutMilliseconds: timeoutMilliseconds),
            body.attach(to: curl),
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
