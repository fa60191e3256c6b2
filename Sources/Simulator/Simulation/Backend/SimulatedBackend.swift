import ChatDomain
import ChatModel
import Gateway

/// The app's backend. It imports users and channels, adds members, moderates, revokes tokens and creates guests. Half of
/// the seeds have one.
struct SimulatedBackend {
    private var random: SplitMix
    private let isEnabled: Bool
    private var serial: UInt32 = 0
    private var guests: UInt64 = 0
    private let seed: UInt64
    private var removals: SimulatedRemovals
    private var moderation: SimulatedModeration

    /// Users without a device.
    private static let others = ["eve", "fay"].compactMap { UserID($0) }
    static let guestLimit = 4

    /// - Parameter seed: Seeds the backend's own generator, so that the backend does not influence other decisions.
    init(seed: UInt64) {
        self.seed = seed
        removals = SimulatedRemovals(seed: seed)
        moderation = SimulatedModeration(seed: seed)
        random = SplitMix(seed: seed &* 31 &+ 0xBAC)
        isEnabled = random.chance(percent: 50)
    }

    var deletesUsers: Bool { isEnabled && removals.isEnabled }

    /// - Parameters:
    ///   - hasRoom: Whether another guest may have a device.
    ///   - second: The time on the clock that dates tokens, which the backend names in revocations; `nil` if it trusts the
    ///     server's clock. One that is an hour ahead would lock users out for an hour.
    /// - Returns: A command and its number; `nil` when the backend sends nothing now.
    mutating func next(hasRoom: Bool, at second: Int64?) -> (number: UInt32, request: any Request)? {
        guard isEnabled else { return nil }
        if let removal = removals.next(deletesUsers: second == nil) {
            serial += 1
            return (serial, removal)
        }
        if let sanction = moderation.next(bansUsers: second == nil) {
            serial += 1
            return (serial, sanction)
        }
        guard random.chance(percent: 25) else { return nil }
        serial += 1
        return (serial, command(hasRoom: hasRoom, at: second))
    }

    private mutating func command(hasRoom: Bool, at second: Int64?) -> any Request {
        switch random.below(100) {
        case 0..<15: UpsertUsers(users: people(percent: 40).map { UpsertUser(id: $0, nickname: "\($0) \(serial)") })
        case 15..<30: RevokeTokens(userID: random.pick(Knowledge.people), before: second)
        case 30..<55: UpsertChannels(channels: channels())
        case 55..<75: AddMembers(channelID: random.pick(Knowledge.channels), userIDs: people(percent: 40))
        case 75..<80: UpdateChannel(channelID: random.pick(Knowledge.channels), isPublic: random.chance(percent: 50))
        default: hasRoom ? guest() : UpsertChannels(channels: channels())
        }
    }

    /// Returns users, occasionally including one who does not exist yet.
    private mutating func people(percent: Int) -> [UserID] {
        (Knowledge.people + Self.others).filter { _ in random.chance(percent: percent) }
    }

    private mutating func channels() -> [ChannelUpsert] {
        Knowledge.channels.filter { _ in random.chance(percent: 60) }.map { id in
            ChannelUpsert(
                id: id, name: "brought \(serial)", userIDs: people(percent: 30),
                operatorUserIDs: random.chance(percent: 30) ? people(percent: 20) : nil,
                isPublic: random.chance(percent: 80) ? true : nil,
                takeOver: random.chance(percent: 40) ? true : nil)
        }
    }

    /// Makes the chat's part of `guest.create`; signing is not simulated.
    private mutating func guest() -> any Request {
        guests += 1
        return AdmitGuest(id: .guest(seed, guests), nickname: nil)
    }
}
