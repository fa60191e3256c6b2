import ChatModel
import EventLoops
import Synchronization

/// Bytes that the server holds for its peers across all connections, limited per holder and in total.
///
/// One instance counts unread output, another unfinished input. The count changes only when the server starts to hold
/// bytes or holds fewer, so bytes sent and requests completed immediately cost nothing here.
package final class HeldBytes: Sendable {
    package struct Limits: Sendable, Equatable {
        /// The limit per user or address, across all connections and requests.
        package var ofUser: Int
        /// The limit in total. Above it, each holder is limited to `alwaysAllowed` bytes.
        package var total: Int

        package init(ofUser: Int, total: Int) {
            self.ofUser = ofUser
            self.total = total
        }
    }

    /// The party charged for the bytes.
    enum Holder: Hashable, Sendable {
        case user(UserID)
        /// All unauthenticated peers at one address.
        case address(AddressBlock)
    }

    enum Verdict: Sendable {
        case fits
        /// The holder exceeded its own limit.
        case overShare
        /// The total limit is exceeded, and this holder holds more than `alwaysAllowed`.
        case overTotal
    }

    /// Bytes that a holder may always hold, whatever the total.
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
    /// The number of users and addresses that hold anything.
    package var holderCount: Int { counts.withLock(\.ofHolder.count) }

    /// Counts up to `wanted` bytes for a holder, as far as the limits allow.
    ///
    /// - Returns: The number of bytes counted.
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
    ///   - bytes: The change; negative when the held bytes shrink.
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
    /// Bytes counted in advance, although fewer may be held.
    private var reserved = 0

    init(of held: HeldBytes) { self.held = held }

    deinit { if counted > 0 { _ = held.change(holder, by: -counted) } }

    private var counted: Int { max(bytes, reserved) }

    /// - Parameters:
    ///   - bytes: The number of bytes held now.
    ///   - holder: The holder to charge. A new holder takes over with the next change in bytes.
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

    /// Reserves room for bytes that are about to be produced. They fill the reservation, and nobody else can use it
    /// until `release`.
    ///
    /// - Returns: The number of bytes reserved, at most `wanted`.
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
