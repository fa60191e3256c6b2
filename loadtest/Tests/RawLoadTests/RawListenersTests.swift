import Glibc
import Testing

@testable import RawLoad

struct RawListenersTests {
    @Test func `listeners that end release their connections`() throws {
        let door = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(door) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(door, $0, length) == 0 && listen(door, 8) == 0 && getsockname(door, $0, &length) == 0
            }
        }
        try #require(isBound)
        let listeners = try RawListeners()
        // Holds what holds it, as a tester that counts for itself does.
        try listeners.gather(
            ["ann", "ben", "cid"], dialect: Dialect(.bare),
            ports: Array(repeating: UInt16(bigEndian: address.sin_port), count: 3)
        ) { _, _ in withExtendedLifetime(listeners) {} }
        let peers = (0..<3).map { _ in accept(door, nil, nil) }
        defer { for peer in peers { close(peer) } }
        #expect(listeners.leave() == [nil, nil, nil])
        for peer in peers {
            var patience = timeval(tv_sec: 5, tv_usec: 0)
            setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
            var bytes = [UInt8](repeating: 0, count: 8)
            #expect(recv(peer, &bytes, 8, 0) == 1)
            #expect(recv(peer, &bytes, 8, 0) == 0)
        }
    }
}
