import CSpawn
import Glibc
import Synchronization

/// A program that a test starts beside itself. It reads `/dev/null` and inherits only the standard descriptors.
///
/// Foundation's `Process` crashes now and then in a process with many descriptors, such as these tests: on Linux it copies a
/// whole `dirent` for each of them, and the last may be shorter than that at the end of the buffer that `readdir` filled.
package final class ChildProcess: Sendable {
    package struct Failure: Error {
        package let program: String
        package let status: Int32
    }

    private let process: pid_t
    /// Once the process was waited for; its number may belong to another process by then.
    private let status = Mutex<Int32?>(nil)

    /// - Parameters:
    ///   - program: A path, or a name that is looked up in `PATH`.
    ///   - output: The descriptor for the standard output, by default that of the tests.
    ///   - isQuiet: Whether the standard error is discarded.
    /// - Throws: `Failure` with the error number.
    package init(_ program: String, _ arguments: [String], output: Int32? = nil, isQuiet: Bool = false) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        if let output { posix_spawn_file_actions_adddup2(&actions, output, 1) }
        if isQuiet { posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
        spawn_file_actions_addclosefrom(&actions, 3)
        // A thread of Dispatch blocks most signals, and the tests ignore some.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let strings = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for string in strings { free(string) } }
        var process: pid_t = 0
        let error = posix_spawnp(&process, program, &actions, &attributes, strings, environ)
        guard error == 0 else { throw Failure(program: program, status: error) }
        self.process = process
    }

    /// Sends the signal unless the process was waited for.
    package func signal(_ signal: Int32) {
        status.withLock { if $0 == nil { kill(process, signal) } }
    }

    /// Waits without holding a lock, so that another thread can still send a signal; call it from one thread.
    ///
    /// - Returns: The exit status as `waitpid` gives it: 0 if the program ended well.
    @discardableResult
    package func waitUntilExit() -> Int32 {
        if let status = status.withLock({ $0 }) { return status }
        var information = siginfo_t()
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
        return status.withLock { status in
            var result: Int32 = 0
            while waitpid(process, &result, 0) == -1, errno == EINTR {}
            status = result
            return result
        }
    }

    /// Runs the program to its end.
    ///
    /// - Throws: `Failure` if the program cannot start or ends with another status than 0.
    package static func run(_ program: String, _ arguments: [String]) throws {
        let status = try ChildProcess(program, arguments, isQuiet: true).waitUntilExit()
        guard status == 0 else { throw Failure(program: program, status: status) }
    }

    /// Runs the program to its end and returns what it prints to its standard output.
    package static func output(of program: String, _ arguments: [String]) throws -> String {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure(program: program, status: errno) }
        defer { close(ends[0]) }
        let process: ChildProcess
        do {
            defer { close(ends[1]) }
            process = try ChildProcess(program, arguments, output: ends[1])
        }
        defer { process.waitUntilExit() }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(ends[0], &buffer, buffer.count), count != 0 {
            guard count > 0 else {
                guard errno == EINTR else { break }
                continue
            }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Runs `openssl` with arguments that contain no spaces.
///
/// - Throws: `ChildProcess.Failure` if it fails.
package func openssl(_ arguments: String) throws {
    try ChildProcess.run("openssl", arguments.split(separator: " ").map(String.init))
}
