import ChatDomain
import ChatModel

/// Checks what was acknowledged to the app's backend. Users, channels, memberships and guests are in durable frames
/// when they are acknowledged, and survive every restart. Refused channels leave no trace, and channels created by one
/// command share a frame.
struct BackendCheck: Check {
    private var facts = Facts()
    private var durable: UInt64 = 0
    private var questions: [UInt32: any Request] = [:]
    /// Acknowledged users, except guests, who are removed later.
    private var users: Set<UserID> = []

    mutating func observe(_ moment: History.Moment) throws(Broken) {
        switch moment {
        case .began(let frames, _, _):
            facts = Facts()
            for frame in frames { facts.apply(frame) }
            durable = UInt64(frames.count)
            questions = [:]
            for user in users where facts.users[user] == nil {
                throw Broken(.nothingLost, "\(user) was acknowledged but no longer exists")
            }
        case .appended(let frame): facts.apply(frame)
        case .synced(let sequence): durable = sequence
        case .backendCommanded(let number, let request): questions[number] = request
        case .backendAnswered(let number, let answer):
            guard let request = questions.removeValue(forKey: number) else {
                throw Broken(.answersHold, "the backend received a reply to a request that it did not send")
            }
            if case .success(let response) = answer { try check(request, response) }
        default: break
        }
    }

    private mutating func check(_ request: any Request, _ response: any Sendable) throws(Broken) {
        switch (request, response) {
        case (let request as UpsertUsers, let response as UpsertUsers.Response):
            guard request.users.map(\.id) == response.users.map(\.id) else {
                throw Broken(.answersHold, "the response lists different users than the request")
            }
            try checkDurable(request.users.map { facts.users[$0.id] }, "user")
            users.formUnion(request.users.map(\.id))
        case (let request as AdmitGuest, is AdmitGuest.Response): try checkDurable([facts.users[request.id]], "guest")
        case (is AddMembers, let response as AddMembers.Response):
            try checkDurable(response.joined.map { facts.joined[.init(response.channel.id, $0)] }, "membership")
        case (let request as UpsertChannels, let response as UpsertChannels.Response): try check(request, response)
        default: break
        }
    }

    private func check(_ request: UpsertChannels, _ response: UpsertChannels.Response) throws(Broken) {
        let accepted = Set(response.channels.map(\.id))
        let refused = Set(response.refused.map(\.channelID))
        guard accepted.isDisjoint(with: refused), accepted.union(refused) == Set(request.channels.map(\.id)) else {
            throw Broken(.answersHold, "channels are neither accepted nor refused, or both")
        }
        guard accepted.isSuperset(of: response.created) else {
            throw Broken(.answersHold, "a channel was both created and refused")
        }
        for channel in request.channels where accepted.contains(channel.id) {
            let people = (channel.userIDs ?? []) + (channel.operatorUserIDs ?? [])
            try checkDurable(people.map { facts.joined[.init(channel.id, $0)] }, "membership")
        }
        let frames = response.created.map { facts.created[$0] ?? [] }
        guard let first = frames.first else { return }
        let common = frames.dropFirst().reduce(first) { $0.intersection($1) }
        guard let frame = common.max() else {
            throw Broken(.answersHold, "channels of one command were created in several frames")
        }
        try checkDurable([frame], "channel")
    }

    /// - Parameter frames: The frames of the acknowledged facts.
    private func checkDurable(_ frames: [UInt64?], _ kind: String) throws(Broken) {
        for frame in frames {
            guard let frame else {
                throw Broken(.nothingLost, "a \(kind) was acknowledged but is in no journal frame")
            }
            guard frame <= durable else {
                throw Broken(.durableFirst, "a \(kind) was acknowledged before it was durable")
            }
        }
    }
}

/// Finds users and channels in the frames.
private struct Facts {
    struct Membership: Hashable {
        let channel: ChannelID
        let user: UserID
        init(_ channel: ChannelID, _ user: UserID) {
            self.channel = channel
            self.user = user
        }
    }

    /// The first frame of each user.
    private(set) var users: [UserID: UInt64] = [:]
    private(set) var joined: [Membership: UInt64] = [:]
    private(set) var created: [ChannelID: Set<UInt64>] = [:]

    mutating func apply(_ frame: History.Frame) {
        for record in frame.records {
            switch record.event {
            case .userCreated(let user): Self.record(&users[user.id], frame)
            case .channelCreated(let channel):
                created[channel.id, default: []].insert(frame.sequence)
                if let creator = channel.creator { Self.record(&joined[Membership(channel.id, creator)], frame) }
            case .memberJoined(let member): Self.record(&joined[Membership(member.channel, member.user)], frame)
            default: break
            }
        }
    }

    private static func record(_ place: inout UInt64?, _ frame: History.Frame) {
        if place == nil { place = frame.sequence }
    }
}
