import CCurl

/// Posts JSON by libcurl and waits for the status. Keeps its connection; for one queue at a time.
final class HTTPPost {
    private let curl = curl_easy_init()
    /// Once per process, and before the first handle.
    private static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

    init() { _ = Self.isReady }

    deinit { if let curl { curl_easy_cleanup(curl) } }

    /// - Returns: The HTTP status; `nil` when there was no answer.
    func send(_ body: [UInt8], to url: String, fields: [String], timeoutMilliseconds: Int) -> Int? {
        guard let curl else { return nil }
        curl_easy_reset(curl)
        var list: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(list) }
        for field in fields { list = curl_slist_append(list, field) ?? list }
        // No signals: other threads run beside this one. Redirects are not followed: the signature is for this address.
        guard belfry_curl_restrict(curl) == CURLE_OK, belfry_curl_set_text(curl, CURLOPT_URL, url) == CURLE_OK,
            belfry_curl_set_long(curl, CURLOPT_NOSIGNAL, 1) == CURLE_OK,
            belfry_curl_set_long(curl, CURLOPT_TIMEOUT_MS, timeoutMilliseconds) == CURLE_OK,
            belfry_curl_set_long(curl, CURLOPT_POST, 1) == CURLE_OK,
            belfry_curl_set_long(curl, CURLOPT_POSTFIELDSIZE, body.count) == CURLE_OK,
            belfry_curl_set_list(curl, CURLOPT_HTTPHEADER, list) == CURLE_OK
        else { return nil }
        return body.withUnsafeBytes { bytes in
            let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            guard belfry_curl_set_text(curl, CURLOPT_POSTFIELDS, text) == CURLE_OK,
                curl_easy_perform(curl) == CURLE_OK
            else { return nil }
            return belfry_curl_status(curl)
        }
    }
}
