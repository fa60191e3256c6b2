import ChatModel
import EventLoops
import Synchronization

/// Bytes that the server holds for its peers, over all connections: limited per holder and in total.
///
/// One instance counts output that waits to be read, another unfinished input. Updated only when something is
/// held and when that amount shrinks; bytes sent and requests completed immediately cost nothing here.
package final class HeldBytes: Sendable {
    package struct Limits: Sendable, Equatable {
        /// Per user or address, over all connections and requests.
        package var ofUser: Int
        /// In total. Above it, each holder is limited to `alwaysAllowed` bytes.
        package var total: Int

        package init(ofUser: Int, total: Int) {
            self.ofUser = ofUser
            self.total = total
        }
    }

    /// The party that bytes are charged to.
    enum Holder: Hashable, Sendable {
        case user(UserID)
        /// Unauthenticated peers of one address.
        case address(AddressBlock)
    }

    enum Verdict: Sendable {
        case fits
        /// The holder has used up its own share.
        case overShare
        /// The total is exceeded, and this holder has more than `alwaysAllowed`.
        case overTotal
    }

    /// Bytes a holder may always have, whatever the total.
    static let alwaysAllowed = 1_048_576

    private struct Counts {
        var ofHolder: [Holder: Int] = [:]
        var total = 0

        mutating func add(_ bytes: Int, to holder: Holder?) -> Int {
            total += bytes
            guard let holder else { return 0 }
            let held = (ofHolder[holder] ?? 0) + bytes
            ofHolder[holder] = held > 0 ? held : nil
            return held
        }
    }

    private let limits: Limits
    private let counts = Mutex(Counts())

    package init(_ limits: Limits) { self.limits = limits }

    package var total: Int { counts.withLock(\.total) }
    /// Users and addresses that hold anything.
    package var holderCount: Int { counts.withLock(\.ofHolder.count) }

    /// Counts as many bytes as are free for a holder, up to `wanted`.
    ///
    /// - Returns: How many were counted.
    fileprivate func reserve(_ wanted: Int, for holder: Holder?) -> Int {
        counts.withLock { counts in
            var free = Int.max
            if let holder {
                let limit = counts.total < limits.total ? limits.ofUser : min(limits.ofUser, Self.alwaysAllowed)
                free = limit - (counts.ofHolder[holder] ?? 0)
            }
            let granted = max(0, min(wanted, free))
            _ = counts.add(granted, to: holder)
            return granted
        }
    }

    /// - Parameters:
    ///   - holder: `nil` for the app's backend, and for peers whose bytes are limited elsewhere.
    ///   - bytes: The change, negative when they shrink.
    fileprivate func change(_ holder: Holder?, by bytes: Int) -> Verdict {
        counts.withLock { counts in
            let held = counts.add(bytes, to: holder)
            guard holder != nil else { return .fits }
            guard held <= limits.ofUser else { return .overShare }
            return counts.total <= limits.total || held <= Self.alwaysAllowed ? .fits : .overTotal
        }
    }
}

/// One connection's share of the held bytes.
///
/// Confined to the connection's loop.
struct HeldShare: ~Copyable {
    private let held: HeldBytes
    private var holder: HeldBytes.Holder?
    private(set) var bytes = 0
    /// Counted although fewer may be held.
    private var reserved = 0

    init(of held: HeldBytes) { self.held = held }

    deinit { if counted > 0 { _ = held.change(holder, by: -counted) } }

    private var counted: Int { max(bytes, reserved) }

    /// - Parameters:
    ///   - bytes: The bytes held now.
    ///   - holder: The holder to charge. A new one takes over with the next change of the bytes.
    mutating func set(_ bytes: Int, for holder: HeldBytes.Holder?) -> HeldBytes.Verdict {
        guard bytes != self.bytes else { return .fits }
        move(to: holder)
        let former = counted
        self.bytes = bytes
        let more = counted - former
        guard more != 0 else { return .fits }
        let verdict = held.change(holder, by: more)
        return more < 0 ? .fits : verdict
    }

    /// Reserves room for bytes that are about to be made. The next ones fill it, and nobody else can have it until
    /// `release`.
    ///
    /// - Returns: How many were free, at most `wanted`.
    mutating func reserve(_ wanted: Int, for holder: HeldBytes.Holder?) -> Int {
        move(to: holder)
        let granted = held.reserve(wanted, for: holder)
        reserved = counted + granted
        return granted
    }

    mutating func release() {
        let former = counted
        reserved = 0
        if counted < former { _ = held.change(holder, by: counted - former) }
    }

    private mutating func move(to holder: HeldBytes.Holder?) {
        guard holder != self.holder else { return }
        if counted > 0 { _ = held.change(self.holder, by: -counted) }
        (bytes, reserved) = (0, 0)
        self.holder = holder
    }
}
