#if Cluster

/// A failure that an operator must know about. `server` is a host and port.
package enum NATSError: Error, Equatable, Sendable, CustomStringConvertible {
    case invalidServer(String)
    /// A cluster's name may contain ASCII letters, digits, `-` and `_`.
    case invalidName(String)
    case unreadable(path: String, reason: String)
    case unreachable(server: String, reason: String)
    case wrongCredentials(server: String, reason: String)
    /// The server's certificate is not trusted, the server does not accept ours, or only one side uses TLS.
    case wrongCertificate(server: String, reason: String)
    /// The server is older than 2.12, which has JetStream API level 2.
    case tooOld(apiLevel: Int)
    case noJetStream(reason: String)
    case noStream(String)
    /// The stream exists, but this setting differs. Settings are named as in JetStream's API.
    case differentStream(String, setting: String)
    /// JetStream did not answer in time.
    case silence
    /// JetStream refused a request.
    case refused(code: Int, reason: String)

    package var description: String {
        switch self {
        case .invalidServer(let text): "\"\(text)\" is not the URL of a NATS server, such as nats://host:4222"
        case .invalidName(let name): "\"\(name)\" cannot name a cluster: use letters, digits, - and _"
        case .unreadable(let path, let reason): "cannot use \"\(path)\": \(reason)"
        case .unreachable(let server, let reason): "cannot reach the NATS server \(server): \(reason)"
        case .wrongCredentials(let server, let reason):
            "the NATS server \(server) does not accept the credentials: \(reason)"
        case .wrongCertificate(let server, let reason): "no TLS with the NATS server \(server): \(reason)"
        case .tooOld(let level): "the NATS server is older than 2.12: its JetStream API level is \(level), not 2"
        case .noJetStream(let reason): "the NATS server has no JetStream: \(reason)"
        case .noStream(let name): "the JetStream stream \"\(name)\" does not exist"
        case .differentStream(let name, let setting):
            "the JetStream stream \"\(name)\" has another value for \"\(setting)\""
        case .silence: "JetStream did not answer in time"
        case .refused(let code, let reason): "JetStream refused the request with error \(code): \(reason)"
        }
    }
}
#endif
