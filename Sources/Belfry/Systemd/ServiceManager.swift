import Glibc

/// Reports the server's state to the service manager, such as systemd (sd_notify(3)), with one datagram per message.
package struct ServiceManager: Sendable {
    /// A path, or `@` and an abstract socket name.
    private let socketName: String
    /// The interval within which the watchdog expects a message; nil when there is no watchdog.
    package let watchdog: Duration?

    package static let variables = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]
    /// The capacity of `sun_path`, less the terminating zero.
    private static let nameBytes = 107

    /// - Parameters:
    ///   - environment: `NOTIFY_SOCKET`; `WATCHDOG_USEC` in microseconds, ignored if `WATCHDOG_PID` names another
    ///     process.
    ///   - pid: This process.
    /// - Returns: Nil when there is no service manager.
    /// - Throws: For an invalid socket name or watchdog interval.
    package init?(environment: [String: String], pid: Int32) throws(ConfigurationError) {
        guard let name = environment["NOTIFY_SOCKET"] else { return nil }
        guard name.hasPrefix("/") || name.hasPrefix("@"), (2...Self.nameBytes).contains(name.utf8.count) else {
            throw ConfigurationError("NOTIFY_SOCKET must be a path or an abstract name that begins with @")
        }
        socketName = name
        guard let listed = environment["WATCHDOG_USEC"], environment["WATCHDOG_PID"].map({ $0 == String(pid) }) ?? true
        else {
            watchdog = nil
            return
        }
        guard let microseconds = Int64(listed), microseconds > 0 else {
            throw ConfigurationError("WATCHDOG_USEC must be a number of microseconds, not \"\(listed)\"")
        }
        watchdog = .microseconds(microseconds)
    }

    package func ready() { send("READY=1") }
    package func stopping() { send("STOPPING=1") }
    package func working() { send("WATCHDOG=1") }

    /// Reports that a reload has begun. Call `ready` afterwards.
    package func reloading() {
        var now = timespec()
        // Cannot fail: every Linux has this clock.
        clock_gettime(CLOCK_MONOTONIC, &now)
        send("RELOADING=1\nMONOTONIC_USEC=\(Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000)")
    }

    /// Ignores errors, because there is nobody to report them to.
    private func send(_ message: String) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isAbstract = socketName.hasPrefix("@")
        withUnsafeMutableBytes(of: &address.sun_path) { place in
            place.copyBytes(from: socketName.utf8)
            if isAbstract { place[0] = 0 }
        }
        // An abstract name has no terminating zero, so all of its bytes count.
        let head = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2
        let length = head + socketName.utf8.count + (isAbstract ? 0 : 1)
        let bytes = Array(message.utf8)
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, socklen_t(length))
            }
        }
    }
}

extension Server {
    /// Returns once every loop and the chat's queue have taken a turn; never returns while one of them hangs. A hanging
    /// disk counts only if a loop is waiting for it (`DiskLog.flush`), not if commands are.
    package func waitForTurns() async {
        for loop in loops {
            await withCheckedContinuation { turn in loop.post { turn.resume() } }
        }
        await withCheckedContinuation { turn in services.chat.engine.runBetweenBatches { turn.resume() } }
    }
}
