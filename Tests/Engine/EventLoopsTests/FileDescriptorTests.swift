import CEpoll
import EventLoops
import Glibc
import Testing

@Suite struct FileDescriptorTests {
    @Test func `leaving the scope or closing closes the descriptor, and releasing it does not`() throws {
        // The peer sees the end of the stream exactly when the last owner has closed it.
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        let peer = FileDescriptor(owning: ends[1])
        let copies = [dup(ends[0]), dup(ends[0])]
        let released = FileDescriptor(owning: ends[0]).release()
        do { _ = FileDescriptor(owning: copies[0]) }
        FileDescriptor(owning: copies[1]).close()

        write("still open", to: released)
        #expect(read(peer.rawValue) == "still open")
        FileDescriptor(owning: released).close()
        var byte: UInt8 = 0
        #expect(withUnsafeMutableBytes(of: &byte) { Sockets.read(peer.rawValue, into: $0) } == .endOfStream)
    }
}
