import CCurl
import EventLoops
import Glibc

/// Opens libcurl's sockets, but only to permitted addresses.
final class SocketOpener {
    private let destinations: Destinations
    private var refused: IPAddress?

    init(_ destinations: Destinations) { self.destinations = destinations }

    /// Returns the last address refused since the previous call.
    func consumeRefusedAddress() -> IPAddress? {
        defer { refused = nil }
        return refused
    }

    /// - Parameter curl: Must not use its sockets after the opener is gone.
    private func attach(to curl: UnsafeMutableRawPointer) -> Bool {
        let callback: curl_opensocket_callback = { context, _, address in
            guard let context, let address else { return CURL_SOCKET_BAD }
            return Unmanaged<SocketOpener>.fromOpaque(context).takeUnretainedValue().open(address)
        }
        return belfry_curl_set_socket_opener(curl, callback, Unmanaged.passUnretained(self).toOpaque()) == CURLE_OK
    }

    /// Sets the options common to all requests: permitted addresses only; no signals, because other threads are
    /// running; no proxy from the environment, because it would resolve the name unseen; no redirects. Names are
    /// resolved for every connection, because the system has a cache.
    func prepare(_ curl: UnsafeMutableRawPointer, for url: String, timeoutMilliseconds: Int) -> Bool {
        belfry_curl_restrict(curl) == CURLE_OK && attach(to: curl)
            && belfry_curl_set_text(curl, CURLOPT_PROXY, "") == CURLE_OK
            && belfry_curl_set_long(curl, CURLOPT_DNS_CACHE_TIMEOUT, 0) == CURLE_OK
            && belfry_curl_set_text(curl, CURLOPT_URL, url) == CURLE_OK
            && belfry_curl_set_long(curl, CURLOPT_NOSIGNAL, 1) == CURLE_OK
            && belfry_curl_set_long(curl, CURLOPT_TIMEOUT_MS, timeoutMilliseconds) == CURLE_OK
    }

    private func open(_ target: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        // Only IP addresses are allowed.
        guard let address = Self.address(target) else { return CURL_SOCKET_BAD }
        guard destinations.permits(address) else {
            refused = address
            return CURL_SOCKET_BAD
        }
        let kind = target.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        return socket(target.pointee.family, kind, target.pointee.protocol)
    }

    private static func address(_ target: UnsafeMutablePointer<curl_sockaddr>) -> IPAddress? {
        // The field is declared as a plain `sockaddr`; longer addresses extend beyond it.
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
        let length = Int(target.pointee.addrlen)
        let raw = UnsafeRawPointer(target) + offset
        switch target.pointee.family {
        case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
            let inner = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
            return withUnsafeBytes(of: inner) { IPAddress($0) }
        case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
            let inner = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            return withUnsafeBytes(of: inner) { IPAddress($0) }
        default: return nil
        }
    }
}
