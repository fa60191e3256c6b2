import EventLoops

/// Listening sockets inherited from the parent process, such as systemd (sd_listen_fds(3)). While one server replaces
/// another, clients wait in the sockets' queues, and no connection is refused.
package struct ListeningSockets: Sendable, Equatable {
    /// The inherited descriptors; nil when the server opens its own.
    package private(set) var plain: Int32?
    package private(set) var tls: Int32?

    /// The environment variables that describe the sockets.
    package static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"]
    private static let first: Int32 = 3

    /// No inherited sockets.
    package init() {}

    /// - Parameters:
    ///   - environment: `LISTEN_PID` is the intended process; the sockets are ignored in any other. `LISTEN_FDS` is
    ///     their number, from descriptor 3 on. `LISTEN_FDNAMES` is `plain` and `tls`, separated by a colon. A single
    ///     socket is the plain one unless it is named `tls`.
    ///   - pid: This process.
    /// - Throws: For unknown names, and for a descriptor that is not a listening socket.
    package init(environment: [String: String], pid: Int32) throws(ConfigurationError) {
        guard environment["LISTEN_PID"] == String(pid), let listed = environment["LISTEN_FDS"] else { return }
        guard let count = Int32(listed), (0...2).contains(count) else {
            throw ConfigurationError("LISTEN_FDS must be 0 to 2 (a plain and a tls socket), not \"\(listed)\"")
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
                    "systemd passed two sockets as \"\(environment["LISTEN_FDNAMES"] ?? "")\": "
                        + "name them plain and tls (FileDescriptorName=)")
            }
        }
    }

    private static func inherit(_ descriptor: Int32) throws(ConfigurationError) -> Int32 {
        do throws(SystemError) {
            return try Sockets.inherit(descriptor)
        } catch {
            throw ConfigurationError(
                "cannot use descriptor \(descriptor): it is not a listening TCP socket: \(error)")
        }
    }
}
