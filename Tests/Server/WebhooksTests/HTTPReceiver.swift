import Dispatch
import Foundation
import Glibc
import Synchronization

/// An HTTP server on a free loopback port that answers every request as the test says, many connections at a time.
final class HTTPReceiver: Sendable {
    struct Request: Sendable {
        /// The header fields by lower-case names.
        var fields: [String: String] = [:]
        var body = ""
    }

    let port: UInt16
    private let listener: Int32
    private let requests = Mutex<[Request]>([])
    private let answer: @Sendable (Request) -> [UInt8]?

    /// - Parameter answer: Returns the bytes of the response; nil to never respond.
    init(_ answer: @escaping @Sendable (Request) -> [UInt8]?) {
        self.answer = answer
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (listener, length) = (listener, size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(listener, $0, length)
                _ = listen(listener, 256)
                _ = getsockname(listener, $0, &size)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            while true {
                let peer = accept(listener, nil, nil)
                guard peer >= 0 else { break }
                Thread.detachNewThread { [self] in
                    while serve(peer) {}
                    close(peer)
                }
            }
            close(listener)
        }
    }

    var url: String { "http://127.0.0.1:\(port)/hook" }
    var received: [Request] { requests.withLock(\.self) }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    static func response(_ body: String, status: Int = 200, fields: String = "") -> [UInt8] {
        Array("HTTP/1.1 \(status) x\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
    }

    /// - Returns: Whether the connection continues.
    private func serve(_ peer: Int32) -> Bool {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(peer, &buffer, buffer.count, 0)
            guard count > 0 else { return false }
            bytes += buffer[..<count]
            let text = String(decoding: bytes, as: UTF8.self)
            guard let end = text.firstRange(of: "\r\n\r\n") else { continue }
            var request = Request()
            for line in text[..<end.lowerBound].split(separator: "\r\n").dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                request.fields[parts[0].lowercased()] = parts.last.map { String($0.drop { $0 == " " }) }
            }
            request.body = String(text[end.upperBound...])
            guard request.body.utf8.count == Int(request.fields["content-length"] ?? "") else { continue }
            let complete = request
            requests.withLock { $0.append(complete) }
            guard let answer = answer(complete) else {
                // Until the client gives up.
                return recv(peer, &buffer, 1, 0) > 0
            }
            return send(peer, answer, answer.count, Int32(MSG_NOSIGNAL)) == answer.count
        }
    }
}
