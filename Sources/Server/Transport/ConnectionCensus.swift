import ChatModel
import EventLoops
import Synchronization

/// Counts connections across all loops and limits them per address, per user and before authentication.
package final class ConnectionCensus: Sendable {
    package struct Limits: Sendable, Equatable {
        /// Connections per address: an IPv4 address or an IPv6 /64. An IPv6 /48 may have twice as many. A proxy counts
        /// as one address unless it is trusted to name its clients.
        package var perAddress = 20_000
        /// Live sessions per user, such as tabs and devices.
        package var perUser = 100
        /// Connections that have not yet presented a token or key.
        package var unauthenticated = 20_000
        /// Bytes of incomplete input that all unauthenticated connections together may have sent.
        package var unauthenticatedBytes = 67_108_864
        package init() {}

        fileprivate var perNetwork: Int { perAddress > .max / 2 ? .max : 2 * perAddress }
    }

    /// The reason for refusing a connection.
    enum Refusal: String, Error, CaseIterable {
        /// The loop has used its share of the file descriptors.
        case full
        case address, unauthenticated, user
        case unauthenticatedBytes = "unauthenticated_bytes"
        /// Too many bytes of unfinished requests and messages, from one user, from one address or in total.
        case unfinishedBytes = "unfinished_bytes"
        /// The loop has reached its limit of admin connections.
        case admin
    }

    fileprivate struct Counts {
        var limits: Limits
        var ofBlock: [AddressBlock: Int] = [:]
        var ofUser: [UserID: Int] = [:]
        var unauthenticated = 0
        var unauthenticatedBytes = 0

        /// - Returns: Whether the address and its network have room for one more connection.
        mutating func enter(_ address: String) -> Bool {
            let blocks = AddressBlock.Pair(address)
            guard ofBlock.enter(blocks.own, limit: limits.perAddress) else { return false }
            guard blocks.isIPv6, !ofBlock.enter(blocks.network, limit: limits.perNetwork) else { return true }
            ofBlock.leave(blocks.own)
            return false
        }

        mutating func leave(_ address: String) {
            let blocks = AddressBlock.Pair(address)
            ofBlock.leave(blocks.own)
            if blocks.isIPv6 { ofBlock.leave(blocks.network) }
        }
    }

    fileprivate let counts: Mutex<Counts>

    package init(_ limits: Limits) { counts = Mutex(Counts(limits: limits)) }

    /// Changes the limits for new connections; existing ones stay open.
    package func adopt(_ limits: Limits) { counts.withLock { $0.limits = limits } }
}

/// A connection's entry in the census, removed on deinit.
///
/// Confined to the connection's loop.
struct CensusEntry: ~Copyable {
    /// Unfinished bytes that each connection may always hold: enough for a request head or a connect command.
    private static let guaranteedBytes = 4_096

    private let census: ConnectionCensus
    /// Nil for a proxy that has not named its client yet.
    private(set) var address: String?
    private var user: UserID?
    private var heldBytes = 0
    private var isAuthenticated = false

    /// - Throws: `Refusal` when the connection must be refused.
    init(in census: ConnectionCensus, address: String?) throws(ConnectionCensus.Refusal) {
        let refusal: ConnectionCensus.Refusal? = census.counts.withLock { counts in
            guard counts.unauthenticated < counts.limits.unauthenticated else { return .unauthenticated }
            if let address, !counts.enter(address) { return .address }
            counts.unauthenticated += 1
            return nil
        }
        // Throw before all properties are set: the `deinit` of a complete value would release counts it never took.
        if let refusal { throw refusal }
        self.census = census
        self.address = address
    }

    deinit {
        census.counts.withLock { counts in
            if let address { counts.leave(address) }
            if let user { counts.ofUser.leave(user) }
            guard !isAuthenticated else { return }
            counts.unauthenticated -= 1
            counts.unauthenticatedBytes -= heldBytes
        }
    }

    /// Moves the connection to the client address that its proxy reported.
    ///
    /// - Returns: Whether that address has room for one more connection.
    mutating func move(to address: String) -> Bool {
        guard address != self.address else { return true }
        let former = self.address
        let hasRoom = census.counts.withLock { counts in
            guard counts.enter(address) else { return false }
            if let former { counts.leave(former) }
            return true
        }
        if hasRoom { self.address = address }
        return hasRoom
    }

    var awaitsClientAddress: Bool { address == nil }
    var isUnauthenticated: Bool { !isAuthenticated }

    /// Marks the connection as authenticated by a token or key.
    mutating func authenticate() {
        guard !isAuthenticated else { return }
        isAuthenticated = true
        census.counts.withLock { counts in
            counts.unauthenticated -= 1
            counts.unauthenticatedBytes -= heldBytes
        }
        heldBytes = 0
    }

    /// Counts a new session for the user.
    ///
    /// - Returns: Whether the user may have one more.
    mutating func enter(as user: UserID) -> Bool {
        authenticate()
        guard self.user == nil else { return self.user == user }
        guard census.counts.withLock({ $0.ofUser.enter(user, limit: $0.limits.perUser) }) else { return false }
        self.user = user
        return true
    }

    /// - Parameter bytes: All bytes received but not yet processed.
    /// - Returns: False when the connection may not hold that many.
    mutating func setHeldBytes(_ bytes: Int) -> Bool {
        guard !isAuthenticated, bytes != heldBytes else { return true }
        let more = bytes - heldBytes
        heldBytes = bytes
        let fits = census.counts.withLock { counts in
            counts.unauthenticatedBytes += more
            return counts.unauthenticatedBytes <= counts.limits.unauthenticatedBytes
        }
        return fits || more <= 0 || bytes <= Self.guaranteedBytes
    }
}

extension Dictionary where Value == Int {
    fileprivate mutating func enter(_ key: Key, limit: Int) -> Bool {
        guard self[key, default: 0] < limit else { return false }
        self[key, default: 0] += 1
        return true
    }

    fileprivate mutating func leave(_ key: Key) {
        guard let count = self[key] else { return }
        self[key] = count > 1 ? count - 1 : nil
    }
}
