import ChatModel

/// The party charged for an event in a webhook's queue.
enum Sharer: Hashable, Sendable {
    /// The app's backend, which has no limit.
    case app
    /// All guests together, because guests are cheap to create.
    case guests
    case user(UserID)

    init(_ user: UserID?) { self = user.map { $0.isGuest ? .guests : .user($0) } ?? .app }

    /// A name for use in files, at most 321 bytes.
    var name: String {
        switch self {
        case .app: ""
        case .guests: "g"
        case .user(let id): "u" + id.rawValue
        }
    }

    init(name: String) {
        self = name == "g" ? .guests : UserID(String(name.unicodeScalars.dropFirst())).map { .user($0) } ?? .app
    }
}

/// Divides a queue among the users who cause its events.
///
/// Anyone may fill the first half. Beyond that, a user who has an eighth of the queue may add no more, so one user's
/// flood leaves half of the queue to others.
struct Shares: Sendable {
    private struct Share {
        var events = 0
        var bytes = 0
    }

    private static let parts = 8

    private let events: Int
    private let bytes: Int
    private var total = Share()
    private var shares: [Sharer: Share] = [:]

    /// - Parameters:
    ///   - events: The queue's capacity in events.
    ///   - bytes: The queue's capacity in bytes.
    init(events: Int, bytes: Int) {
        self.events = events
        self.bytes = bytes
    }

    /// The number of sharers with events in the queue.
    var count: Int { shares.count }

    /// Returns whether a sharer may add an event. A sharer's first event is always admitted.
    func admits(_ size: Int, from sharer: Sharer) -> Bool {
        guard sharer != .app, let share = shares[sharer] else { return true }
        if total.events >= events / 2, share.events >= events / Self.parts { return false }
        return total.bytes + size <= bytes / 2 || share.bytes + size <= bytes / Self.parts
    }

    mutating func add(_ size: Int, from sharer: Sharer) {
        total.events += 1
        total.bytes += size
        guard sharer != .app else { return }
        shares[sharer, default: Share()].events += 1
        shares[sharer, default: Share()].bytes += size
    }

    mutating func remove(_ size: Int, from sharer: Sharer) {
        total.events -= 1
        total.bytes -= size
        guard sharer != .app, var share = shares[sharer] else { return }
        share.events -= 1
        share.bytes -= size
        shares[sharer] = share.events > 0 ? share : nil
    }

    mutating func removeAll() { self = Shares(events: events, bytes: bytes) }
}
