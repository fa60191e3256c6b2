import Dispatch
import Glibc
import HTTPCodec
import HTTPTypes

/// A persistent HTTP connection over a blocking socket.
///
/// All state is confined to `queue`, which blocks instead of the tests' thread pool, because the server under test
/// needs that pool.
package final class HTTPLine: @unchecked Sendable {
    package struct Broken: Error {}

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "http-line")
    private var decoder = ResponseDecoder()

    package init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Broken() }
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        // A request is one write, as is its response.
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    package func post(
        _ path: String, _ body: String, _ fields: HTTPFields
    ) async throws -> (status: Int, body: [UInt8]) {
        let head = "POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n"
        let lines = fields.map { "\($0.name.rawName): \($0.value)\r\n" }.joined()
        let request = Array((head + lines + "\r\n" + body).utf8)
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try self.exchange(request) }) }
        }
    }

    private func exchange(_ request: [UInt8]) throws -> (status: Int, body: [UInt8]) {
        var rest = request[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw Broken() }
            rest = rest.dropFirst(count)
        }
        var status = 0
        var body: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            while let part = try decoder.next() {
                switch part {
                case .head(let response, _): status = response.status.code
                case .body(let chunk): body += chunk
                case .end: return (status, body)
                }
            }
            let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { throw Broken() }
            buffer.withUnsafeBytes { decoder.feed(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }
}
