import Dispatch
import Glibc
import Synchronization

/// A minimal HTTP server on a free loopback port that responds with the given statuses, then with 200.
final class Receiver: Sendable {
    struct Request: Sendable {
        /// The header fields by lower-case names.
        var fields: [String: String]
        var body: String
    }

    let port: UInt16
    private let listener: Int32
    private let statuses: Mutex<[Int]>
    private let requests = Mutex<[Request]>([])
    private let arrived = DispatchSemaphore(value: 0)
    /// One signal per response, if the test wants to delay them.
    let gate: DispatchSemaphore?

    init(statuses: [Int] = [], gate: DispatchSemaphore? = nil) {
        self.statuses = Mutex(statuses)
        self.gate = gate
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (listener, length) = (listener, size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(listener, $0, length)
                _ = listen(listener, 16)
                _ = getsockname(listener, $0, &size)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        DispatchQueue(label: "receiver").async { [self] in serve() }
    }

    var url: String { "http://127.0.0.1:\(port)/hook" }

    /// Waits for this number of requests and returns all received so far.
    func wait(for count: Int) -> [Request] {
        for _ in 0..<count { _ = arrived.wait(timeout: .now() + .seconds(60)) }
        return requests.withLock(\.self)
    }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve() {
        while true {
            let peer = accept(listener, nil, nil)
            guard peer >= 0 else { break }
            answer(peer)
            close(peer)
        }
        close(listener)
    }

    private func answer(_ peer: Int32) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(peer, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            bytes += buffer[..<count]
            let text = String(decoding: bytes, as: UTF8.self)
            guard let end = text.range(of: "\r\n\r\n") else { continue }
            var fields: [String: String] = [:]
            for line in text[..<end.lowerBound].split(separator: "\r\n").dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                fields[parts[0].lowercased()] = parts.last.map { String($0.drop { $0 == " " }) }
            }
            let body = String(text[end.upperBound...])
            guard body.utf8.count == Int(fields["content-length"] ?? "") else { continue }
            requests.withLock { $0.append(Request(fields: fields, body: body)) }
            arrived.signal()
            gate?.wait()
            let status = statuses.withLock { $0.isEmpty ? 200 : $0.removeFirst() }
            let answer = "HTTP/1.1 \(status) x\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
            _ = send(peer, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
            return
        }
    }
}

extension String {
    /// Finds the first position of a text, without Foundation.
    fileprivate func range(of text: String) -> Range<String.Index>? { firstRange(of: text) }
}
