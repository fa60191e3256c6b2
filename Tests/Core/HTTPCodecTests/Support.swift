import HTTPCodec
import HTTPTypes

/// Everything that a request decoder returned, with bodies joined.
struct Decoded: Equatable {
    struct Request: Equatable {
        var head: RequestHead
        var body: [UInt8] = []
        var hasEnded = false
    }

    var requests: [Request] = []
    var violation: HTTPViolation?
}

extension RequestDecoder {
    mutating func feed(_ bytes: some Collection<UInt8>) {
        Array(bytes).withUnsafeBytes { feed($0) }
    }

    mutating func drain(into decoded: inout Decoded) {
        do throws(HTTPViolation) {
            while let part = try next() {
                let last = decoded.requests.count - 1
                switch part {
                case .head(let head): decoded.requests.append(Decoded.Request(head: head))
                case .body(let bytes): decoded.requests[last].body += bytes
                case .end: decoded.requests[last].hasEnded = true
                }
            }
        } catch {
            decoded.violation = error
        }
    }
}

/// Feeds `bytes` in pieces that end at `cuts`, and pulls after each.
func decode(_ bytes: [UInt8], limits: HTTPLimits = HTTPLimits(), cutAt cuts: [Int] = []) -> Decoded {
    var decoder = RequestDecoder(limits: limits)
    var decoded = Decoded()
    var start = 0
    for end in cuts.sorted() + [bytes.count] {
        decoder.feed(bytes[start..<end])
        decoder.drain(into: &decoded)
        start = end
    }
    return decoded
}

func decode(_ text: String, limits: HTTPLimits = HTTPLimits()) -> Decoded {
    decode(Array(text.utf8), limits: limits)
}

/// Returns a GET request with these field lines and Host.
func get(_ lines: String...) -> String {
    "GET / HTTP/1.1\r\nHost: ann\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
}

func post(_ lines: String..., body: String = "") -> String {
    "POST / HTTP/1.1\r\nHost: ann\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n" + body
}

func chunked(_ body: String) -> String {
    post("Transfer-Encoding: chunked", body: body)
}
