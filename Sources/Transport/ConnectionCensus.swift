import ChatModel
import EventLoops
import Synchronization

/// Who is connected, over all loops: what one address, one user and those who have not said who they are may hold.
package final class ConnectionCensus: Sendable {
    package struct Limits: Sendable, Equatable {
        /// Connections of one address: an IPv4 address or an IPv6 /64; of an IPv6 /48 twice as many. A proxy in front is one
        /// address, unless it is trusted to name its clients.
        package var perAddress = 20_000
        /// Live sessions of one user: tabs and devices.
        package var perUser = 100
        /// Connections that have shown no token and no key yet.
        package var unauthenticated = 20_000
        /// Bytes that all of these may have sent and left unfinished.
        package var unauthenticatedBytes = 67_108_864
        package init() {}

        fileprivate var perNetwork: Int { perAddress > .max / 2 ? .max : 2 * perAddress }
    }

    /// Why a connection is turned away.
    enum Refusal: String, Error, CaseIterable {
        /// The loop has as many as its share of the descriptors.
        case full
        case address, unauthenticated, user
        case unauthenticatedBytes = "unauthenticated_bytes"
        /// The loop has as many as the admin listener may bring it.
        case admin
    }

    fileprivate struct Counts {
        var limits: Limits
        var ofBlock: [AddressBlock: Int] = [:]
        var ofUser: [UserID: Int] = [:]
        var unauthenticated = 0
        var unauthenticatedBytes = 0

        /// - Returns: Whether the address, and the network around it, may have one more.
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

    /// Goes by other limits, for newcomers: whoever is there stays.
    package func adopt(_ limits: Limits) { counts.withLock { $0.limits = limits } }
}

/// One connection's place in the census.
///
/// Confined to the connection's loop.
struct CensusPlace: ~Copyable {
    /// What a connection may leave unfinished however many there are: a request's head, or a connect command.
    private static let bytesOfItsOwn = 4_096

    private let census: ConnectionCensus
    /// Nil for a proxy that has not said for whom it came.
    private(set) var address: String?
    private var user: UserID?
    private var heldBytes = 0
    private var isAuthenticated = false

    /// - Throws: `Refusal` when the newcomer is to be turned away.
    init(in census: ConnectionCensus, address: String?) throws(ConnectionCensus.Refusal) {
        let refusal: ConnectionCensus.Refusal? = census.counts.withLock { counts in
            guard counts.unauthenticated < counts.limits.unauthenticated else { return .unauthenticated }
            if let address, !counts.enter(address) { return .address }
            counts.unauthenticated += 1
            return nil
        }
        // Only now: a place that is whole would be given back.
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

    /// A proxy says for whom it came.
    ///
    /// - Returns: Whether that address may have one more.
    mutating func move(to address: String) -> Bool {
        guard address != self.address else { return true }
        let former = self.address
        let isThere = census.counts.withLock { counts in
            guard counts.enter(address) else { return false }
            if let former { counts.leave(former) }
            return true
        }
        if isThere { self.address = address }
        return isThere
    }

    var isNameless: Bool { address == nil }
    var isUnauthenticated: Bool { !isAuthenticated }

    /// It has shown a token or a key.
    mutating func authenticate() {
        guard !isAuthenticated else { return }
        isAuthenticated = true
        census.counts.withLock { counts in
            counts.unauthenticated -= 1
            counts.unauthenticatedBytes -= heldBytes
        }
        heldBytes = 0
    }

    /// A session begins.
    ///
    /// - Returns: Whether the user may have one more.
    mutating func enter(as user: UserID) -> Bool {
        authenticate()
        guard self.user == nil else { return self.user == user }
        guard census.counts.withLock({ $0.ofUser.enter(user, limit: $0.limits.perUser) }) else { return false }
        self.user = user
        return true
    }

    /// - Parameter bytes: All that has come and is not done with.
    /// - Returns: Whether it may be kept.
    mutating func hold(_ bytes: Int) -> Bool {
        guard !isAuthenticated, bytes != heldBytes else { return true }
        let more = bytes - heldBytes
        heldBytes = bytes
        let fits = census.counts.withLock { counts in
            counts.unauthenticatedBytes += more
            return counts.unauthenticatedBytes <= counts.limits.unauthenticatedBytes
        }
        return fits || more <= 0 || bytes <= Self.bytesOfItsOwn
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
