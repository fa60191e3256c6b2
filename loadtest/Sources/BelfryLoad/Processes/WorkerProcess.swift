import Foundation
import Glibc
import Synchronization

/// The parameters of a worker process, sent before its first order.
struct WorkerBrief<Plan: Codable & Sendable>: Codable, Sendable {
    var plan: Plan
    /// Its clients, from the first up to but not including the end.
    var first: Int
    var end: Int
    var urls: [String]
    /// A PEM file of trusted certificates; nil for the system's.
    var trustFile: String?
    var concurrency: Int
}

/// A worker process's reply to an order.
struct WorkerReply<Answer: Codable & Sendable>: Codable, Sendable {
    var answer: Answer?
    var error: String?
}

/// Another process of this program that runs some of the clients. It exchanges one line of JSON per order and one per
/// reply.
///
/// Handles one order at a time.
final class WorkerProcess: Sendable {
    let pid: Int32
    private let process = Process()
    private let orders = Pipe()
    private let lines: LineReader

    init(_ name: String, _ brief: some Codable, secret: String) throws {
        let answers = Pipe()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["share", name]
        var environment = ProcessInfo.processInfo.environment
        environment["BELFRY_TOKEN_SECRET"] = secret
        process.environment = environment
        process.standardInput = orders
        process.standardOutput = answers
        lines = LineReader(answers.fileHandleForReading)
        do {
            try process.run()
        } catch {
            throw LoadError("cannot start a client process: \(error.localizedDescription)")
        }
        pid = process.processIdentifier
        try send(brief)
    }

    func perform<Answer: Codable & Sendable>(_ order: ShareOrder, for: Answer.Type) async throws -> Answer {
        try send(order)
        let line = await withCheckedContinuation { done in
            // A blocking read must not occupy a thread of the task pool.
            Thread.detachNewThread { [lines] in done.resume(returning: lines.next()) }
        }
        guard let line, let reply = try? JSONDecoder().decode(WorkerReply<Answer>.self, from: line) else {
            throw LoadError("a client process has exited")
        }
        guard let answer = reply.answer else { throw LoadError(reply.error ?? "a client process did not reply") }
        return answer
    }

    /// Closes the worker's input, which makes it exit, and kills it after three seconds.
    func stop() {
        try? orders.fileHandleForWriting.close()
        let deadline = Clock.now + 3_000_000_000
        while process.isRunning, Clock.now < deadline { usleep(10_000) }
        if process.isRunning { kill(pid, SIGKILL) }
        process.waitUntilExit()
    }

    private func send(_ message: some Encodable) throws {
        try orders.fileHandleForWriting.write(contentsOf: try JSONEncoder().encode(message) + Data("\n".utf8))
    }
}

/// Reads lines from a pipe, blocking until they arrive.
final class LineReader: Sendable {
    private let handle: FileHandle
    private let rest = Mutex(Data())

    init(_ handle: FileHandle) { self.handle = handle }

    /// - Returns: nil at the end of the input.
    func next() -> Data? {
        rest.withLock { rest in
            var searched = 0
            while true {
                if let end = rest.dropFirst(searched).firstIndex(of: 0x0A) {
                    let line = Data(rest[..<end])
                    rest = Data(rest[rest.index(after: end)...])
                    return line
                }
                searched = rest.count
                var bytes = [UInt8](repeating: 0, count: 65_536)
                let count = read(handle.fileDescriptor, &bytes, bytes.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return nil }
                rest.append(contentsOf: bytes[..<count])
            }
        }
    }
}
