#if Cluster
import CNats
import FoundationEssentials
import Glibc

/// cnats's options for a connection to one server.
final class NATSOptions {
    let pointer: OpaquePointer

    /// - Throws: `NATSError.unreadable` if a file cannot be used.
    init(_ server: NATSServerAddress, _ settings: NATSSettings) throws(NATSError) {
        var options: OpaquePointer?
        let status = natsOptions_Create(&options)
        guard let options else { throw Self.error(status, server) }
        pointer = options
        // `NATSConnection` replaces a lost connection itself: while cnats reconnects, it holds the connection's lock,
        // and every call would wait for it. `NATSConnection` also sends the pings: cnats's timer thread closes a stale
        // connection's descriptor, from which the queue may be reading.
        for status in [
            natsOptions_SetURL(options, server.url), natsOptions_SetName(options, settings.name),
            natsOptions_SetAllowReconnect(options, false), natsOptions_SetPingInterval(options, 0),
            natsOptions_SetIgnoreDiscoveredServers(options, true), natsOptions_SetTimeout(options, 2_000),
            // With an event loop this asks for a write event instead of starting a thread.
            natsOptions_SetSendAsap(options, true),
            natsOptions_UseGlobalMessageDelivery(options, true),
        ] where status != NATS_OK {
            throw Self.error(status, server)
        }
        if let path = settings.credentials {
            try use(path) {
                guard let (user, password) = Self.userAndPassword(in: path) else {
                    return natsOptions_SetUserCredentialsFromFiles(options, path, nil)
                }
                return natsOptions_SetUserInfo(options, user, password)
            }
        }
        if server.isEncrypted { try encrypt(server, settings.tls ?? .init()) }
    }

    deinit { natsOptions_Destroy(pointer) }

    /// Reads a file of one line, `user:password`.
    ///
    /// - Returns: Nil for a file of another kind.
    static func userAndPassword(in path: String) -> (String, String)? {
        guard let data = FileManager.default.contents(atPath: path), data.count <= 4_096 else { return nil }
        let lines = data.split(separator: UInt8(ascii: "\n"))
        guard lines.count == 1, let line = String(validating: lines[0], as: UTF8.self) else { return nil }
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        return (parts[0], parts[1].hasSuffix("\r") ? String(parts[1].dropLast()) : parts[1])
    }

    private func encrypt(_ server: NATSServerAddress, _ tls: NATSSettings.TLS) throws(NATSError) {
        for status in [
            natsOptions_SetSecure(pointer, true), natsOptions_SetExpectedHostname(pointer, server.host),
        ] where status != NATS_OK {
            throw Self.error(status, server)
        }
        if let path = tls.authorities { try use(path) { natsOptions_LoadCATrustedCertificates(pointer, path) } }
        if let path = tls.certificate {
            if let key = tls.key { try use(key) { NATS_OK } }
            try use(path) { natsOptions_LoadCertificatesChain(pointer, path, tls.key ?? path) }
        }
    }

    private func use(_ path: String, _ load: () -> natsStatus) throws(NATSError) {
        guard access(path, R_OK) == 0 else {
            throw .unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        let status = load()
        guard status == NATS_OK else { throw .unreadable(path: path, reason: Self.reason(status)) }
    }

    /// The last failure in cnats on this thread.
    static func error(_ status: natsStatus, _ server: NATSServerAddress) -> NATSError {
        let reason = reason(status)
        return switch status {
        case NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED:
            .wrongCredentials(server: server.endpoint, reason: reason)
        // The credentials file contains no key.
        case NATS_ERR where reason.contains("nkey"): .wrongCredentials(server: server.endpoint, reason: reason)
        case NATS_SSL_ERROR, NATS_SECURE_CONNECTION_WANTED, NATS_SECURE_CONNECTION_REQUIRED:
            .wrongCertificate(server: server.endpoint, reason: reason)
        // In TLS 1.3, a server that does not accept our certificate says so only after the handshake; cnats ignores it.
        case NATS_PROTOCOL_ERROR where server.isEncrypted:
            .wrongCertificate(server: server.endpoint, reason: "the server closed the connection: \(reason)")
        default: .unreachable(server: server.endpoint, reason: reason)
        }
    }

    private static func reason(_ status: natsStatus) -> String {
        var last = NATS_OK
        if let text = nats_GetLastError(&last), last == status, text.pointee != 0 { return String(cString: text) }
        return natsStatus_GetText(status).map { String(cString: $0) } ?? "status \(status.rawValue)"
    }
}
#endif
