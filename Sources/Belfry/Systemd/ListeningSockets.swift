import EventLoops

/// Listening sockets that whoever started the process holds open for it, as systemd does (sd_listen_fds(3)): clients wait
/// in their queue while one server ends and the next one begins, and none is refused.
package struct ListeningSockets: Sendable, Equatable {
    /// Descriptors; nil where the server opens its own.
    package private(set) var plain: Int32?
    package private(set) var tls: Int32?

    /// What this process is told of them.
    package static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"]
    private static let first: Int32 = 3

    /// None.
    package init() {}

    /// - Parameters:
    ///   - environment: `LISTEN_PID`, the process that is meant: of another one's there are none here; `LISTEN_FDS`, how
    ///     many there are, from descriptor 3 on; `LISTEN_FDNAMES`, `plain` and `tls` with a colon between them. One alone is
    ///     the plain one, unless it is called `tls`.
    ///   - pid: This process.
    /// - Throws: For names that say nothing, and for what is no listening socket.
    package init(environment: [String: String], pid: Int32) throws(ConfigurationError) {
        guard environment["LISTEN_PID"] == String(pid), let listed = environment["LISTEN_FDS"] else { return }
        guard let count = Int32(listed), (0...2).contains(count) else {
            throw ConfigurationError("LISTEN_FDS is \(listed): there may be a plain and a tls socket")
        }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        for index in 0..<count {
            let name = Int(index) < names.count ? names[Int(index)] : ""
            let socket = try Self.inherit(Self.first + index)
            switch name {
            case "tls" where tls == nil: tls = socket
            case "plain" where plain == nil: plain = socket
            case _ where count == 1: plain = socket
            default:
                throw ConfigurationError(
                    "two sockets were handed over as \(environment["LISTEN_FDNAMES"] ?? "nothing"): "
                        + "call them plain and tls (FileDescriptorName=)")
            }
        }
    }

    private static func inherit(_ descriptor: Int32) throws(ConfigurationError) -> Int32 {
        do throws(SystemError) {
            return try Sockets.inherit(descriptor)
        } catch {
            throw ConfigurationError(
                "descriptor \(descriptor) was handed over and is no listening socket of TCP: \(error)")
        }
    }
}
