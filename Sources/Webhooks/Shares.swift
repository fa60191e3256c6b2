import ChatModel

/// Whose events share a webhook's queue with others'.
enum Sharer: Hashable, Sendable {
    /// The app's backend, which may use all of it.
    case app
    /// Guests are easily made: they share as one.
    case guests
    case user(UserID)

    init(_ user: UserID?) { self = user.map { $0.isGuest ? .guests : .user($0) } ?? .app }

    /// A name for files: at most 321 bytes.
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

/// Who has how much of a queue.
///
/// Until it is half full anybody may fill it; from then on whoever has an eighth of it gets no more in. So one user's flood
/// leaves half of it to all others.
struct Shares: Sendable {
    private struct Share {
        var events = 0
        var bytes = 0
    }

    private static let parts = 8

    private let events: Int
    private let bytes: Int
    private var whole = Share()
    private var shares: [Sharer: Share] = [:]

    /// - Parameters:
    ///   - events: That fit into the queue.
    ///   - bytes: The same.
    init(events: Int, bytes: Int) {
        self.events = events
        self.bytes = bytes
    }

    /// Sharers that have something in it.
    var count: Int { shares.count }

    /// The first event of anybody is always let in.
    func admits(_ size: Int, of sharer: Sharer) -> Bool {
        guard sharer != .app, let share = shares[sharer] else { return true }
        if whole.events >= events / 2, share.events >= events / Self.parts { return false }
        return whole.bytes + size <= bytes / 2 || share.bytes + size <= bytes / Self.parts
    }

    mutating func add(_ size: Int, of sharer: Sharer) {
        whole.events += 1
        whole.bytes += size
        guard sharer != .app else { return }
        shares[sharer, default: Share()].events += 1
        shares[sharer, default: Share()].bytes += size
    }

    mutating func remove(_ size: Int, of sharer: Sharer) {
        whole.events -= 1
        whole.bytes -= size
        guard sharer != .app, var share = shares[sharer] else { return }
        share.events -= 1
        share.bytes -= size
        shares[sharer] = share.events > 0 ? share : nil
    }

    mutating func removeAll() { self = Shares(events: events, bytes: bytes) }
}
