import CCurl
import EventLoops

/// Posts JSON with libcurl and waits for the status. It reuses its connection. Use it from one queue at a time.
final class HTTPPost {
    private let curl = curl_easy_init()
    /// Initializes libcurl once per process, before the first handle.
    static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

    private let opener: SocketOpener

    enum Outcome {
        case status(Int)
        /// The name resolved to a forbidden address.
        case refused(IPAddress)
        case noAnswer
    }

    init(_ destinations: Destinations) {
        _ = Self.isReady
        opener = SocketOpener(destinations)
    }

    deinit { if let curl { curl_easy_cleanup(curl) } }

    func send(_ body: [UInt8], to url: String, fields: [String], timeoutMilliseconds: Int) -> Outcome {
        guard let curl else { return .noAnswer }
        curl_easy_reset(curl)
        let fields = HeaderFields(fields)
        guard opener.prepare(curl, for: url, timeoutMilliseconds: timeoutMilliseconds),
            Self.prepare(curl, body, fields)
        else { return .noAnswer }
        guard withExtendedLifetime(fields, { curl_easy_perform(curl) }) == CURLE_OK else {
            return opener.consumeRefusedAddress().map(Outcome.refused) ?? .noAnswer
        }
        return .status(belfry_curl_status(curl))
    }

    /// Makes the request a POST.
    ///
    /// - Parameters:
    ///   - body: Copied.
    ///   - fields: Must exist as long as the request.
    static func prepare(_ curl: UnsafeMutableRawPointer, _ body: [UInt8], _ fields: HeaderFields) -> Bool {
        belfry_curl_set_long(curl, CURLOPT_POST, 1) == CURLE_OK
            && belfry_curl_set_long(curl, CURLOPT_POSTFIELDSIZE, body.count) == CURLE_OK
            && belfry_curl_set_list(curl, CURLOPT_HTTPHEADER, fields.list) == CURLE_OK
            && body.withUnsafeBytes { bytes in
                let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                return belfry_curl_set_text(curl, CURLOPT_COPYPOSTFIELDS, text) == CURLE_OK
            }
    }
}

/// The header fields of a request, in libcurl's form.
final class HeaderFields {
    private(set) var list: UnsafeMutablePointer<curl_slist>?

    init(_ fields: [String]) { for field in fields { list = curl_slist_append(list, field) ?? list } }

    deinit { curl_slist_free_all(list) }
}
