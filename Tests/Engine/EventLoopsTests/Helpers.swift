import CEpoll
import Dispatch
import EventLoops
import Glibc
import Testing

/// An event on a loop, for which a test waits at most ten seconds.
final class Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func send() {
        semaphore.signal()
    }

    /// - Returns: False if the event did not happen in time.
    func wait() -> Bool {
        semaphore.wait(timeout: .now() + .seconds(10)) == .success
    }
}

/// A handler confined to the queue of the loop it is registered with.
final class Handler: ReadinessHandler {
    private let body: (Readiness) -> Void
    private let onRelease: () -> Void

    init(onRelease: @escaping () -> Void = {}, _ body: @escaping (Readiness) -> Void) {
        self.body = body
        self.onRelease = onRelease
    }

    deinit {
        onRelease()
    }

    func ready(_ readiness: Readiness) {
        body(readiness)
    }
}

/// Two connected, non-blocking sockets: the loop owns `near`, and the test is the peer at `far`.
final class SocketPair: Sendable {
    let near: FileDescriptor
    let far: FileDescriptor

    init() throws {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        near = FileDescriptor(owning: ends[0])
        far = FileDescriptor(owning: ends[1])
    }
}

/// Runs a test with its own loop, which is shut down afterwards.
func withLoop(tick: Duration = .milliseconds(10), _ body: (EventLoop) throws -> Void) throws {
    let loop = try EventLoop(label: "test", index: 0, tick: tick)
    defer { #expect(shutDown(loop)) }
    try body(loop)
}

extension EventLoop {
    /// Runs a body in a turn of the loop and waits for it.
    func sync<Value, Failure: Error>(_ body: @escaping () throws(Failure) -> Value) throws(Failure) -> Value {
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) let body = body
        nonisolated(unsafe) var result: Result<Value, Failure>?
        post {
            do throws(Failure) { result = .success(try body()) } catch { result = .failure(error) }
            done.signal()
        }
        done.wait()
        guard let result else { preconditionFailure("the loop has run the body") }
        return try result.get()
    }
}

func shutDown(_ loop: EventLoop) -> Bool {
    let done = Signal()
    loop.shutdown { done.send() }
    return done.wait()
}

func write(_ text: String, to descriptor: Int32) {
    var text = text
    let result = text.withUTF8 { Sockets.write(descriptor, UnsafeRawBufferPointer($0)) }
    #expect(result == .bytes(text.utf8.count))
}

/// - Returns: The bytes of one read of at most `limit`; nil if there were none, or at the end of the stream.
func read(_ descriptor: Int32, limit: Int = 4096) -> String? {
    withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { buffer in
        guard case .bytes(let count) = Sockets.read(descriptor, into: buffer) else { return nil }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }
}

/// Returns the numbers in a folder like `/proc/self/fd`.
func numbers(in folder: String) -> [Int32] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var numbers: [Int32] = []
    while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if let number = Int32(name) { numbers.append(number) }
    }
    return numbers
}

/// Returns how many epoll descriptors of this process watch a descriptor.
func watchers(of descriptor: Int32) -> Int {
    numbers(in: "/proc/self/fdinfo").count { number in
        let file = open("/proc/self/fdinfo/\(number)", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        let owner = FileDescriptor(owning: file)
        let words = (read(owner.rawValue, limit: 1 << 16) ?? "").split(whereSeparator: \.isWhitespace)
        return zip(words, words.dropFirst()).contains { $0 == "tfd:" && $1 == "\(descriptor)" }
    }
}
