import ChatDomain
import ChatEngine
import ChatModel
import Dispatch
import Gateway
import Journal
import Synchronization
import Testing
import WireProtocol

private let guest = UserID.guest(1, 2)
private let start: Int64 = 1_780_000_000_000

/// A node that decides, and a node that follows it.
private struct Pair {
    let writer: Bench
    let follower: Bench

    init(
        settings: ChatSettings = ChatSettings(), writerClock: @escaping @Sendable () -> Int64 = { start },
        followerClock: @escaping @Sendable () -> Int64 = { start }
    ) {
        writer = Bench(settings: settings, clock: writerClock)
        follower = Bench(settings: settings, clock: followerClock)
        follower.log.setFollowing(true)
        change(CreateChannel(id: general, isPublic: true), as: .user(ann))
        change(JoinChannel(channelID: general), as: .user(bob))
    }

    func change(_ change: some Change, as caller: Caller = .server) {
        writer.engine.change(change, as: caller, answerTo: writer.address(1))
        writer.settle()
        writer.log.sync()
        #expect(throws: Never.self) { try catchUp() }
    }

    /// The frames that the writer decided, as the log shows them.
    var frames: [LoggedFrame] {
        writer.log.frames.enumerated().map { index, records in
            let ids = records.compactMap { record -> MessageID? in
                if case .messageSent(let sent) = record.event { sent.id } else { nil }
            }
            return LoggedFrame(number: UInt64(index + 1), records: records, freshID: ids.last)
        }
    }

    /// - Returns: The number of the follower's last frame.
    @discardableResult
    func catchUp(_ frames: [LoggedFrame]? = nil) throws -> UInt64 {
        let outcome = Mutex<Result<UInt64, Divergence>?>(nil)
        follower.engine.follow(frames ?? self.frames) { result in outcome.withLock { $0 = result } }
        follower.settle()
        follower.log.sync()
        let result = outcome.withLock(\.self)
        return try #require(result).get()
    }

    /// The writer stops, and the follower decides from now on.
    func changeWriter() { follower.log.setFollowing(false) }
}

@Suite struct FollowingTests {
    @Test func `a follower delivers what the writer decided to its own connections, in order`() {
        let pair = Pair()
        pair.follower.attach(bob, 1)
        pair.follower.log.sync()
        #expect(pair.follower.ear.news() == ["attached 1 bob #bob@1 general@2"])
        pair.change(SendMessage(channelID: general, text: "one"), as: .user(ann))
        pair.change(SendMessage(channelID: general, text: "two"), as: .user(ann))
        #expect(pair.follower.ear.news() == ["general 3 message.new", "general 4 message.new"])
    }

    @Test func `a follower shows nothing before its own log has it`() throws {
        let pair = Pair()
        pair.follower.attach(bob, 1)
        pair.follower.log.sync()
        _ = pair.follower.ear.news()
        pair.writer.change(SendMessage(channelID: general, text: "one"), as: ann)
        pair.follower.engine.follow(pair.frames) { _ in }
        pair.follower.settle()
        #expect(pair.follower.ear.news().isEmpty)
        pair.follower.log.sync()
        #expect(pair.follower.ear.news() == ["general 3 message.new"])
    }

    @Test func `a follower decides nothing, not even on its own timers`() {
        var settings = ChatSettings()
        settings.guests.isEnabled = true
        settings.guests.awaySeconds = 1
        let pair = Pair(settings: settings, followerClock: { start + 3_600_000 })
        pair.change(AdmitGuest(id: guest, nickname: nil))
        let frames = pair.follower.log.frames.count
        pair.follower.change(SendMessage(channelID: general, text: "no"), as: ann, 7)
        pair.follower.engine.scanGuestsNow()
        pair.follower.engine.expireFilesNow()
        pair.follower.engine.recordSightings()
        pair.follower.settle()
        pair.follower.log.sync()
        #expect(pair.follower.ear.news() == ["answer 7 1040"])
        #expect(pair.follower.log.frames.count == frames)
    }

    @Test func `a follower forgets a removed guest and obeys revocations like the writer`() throws {
        let now = Mutex(start)
        var settings = ChatSettings()
        settings.guests.isEnabled = true
        settings.guests.awaySeconds = 1
        let pair = Pair(settings: settings, writerClock: { now.withLock(\.self) })
        pair.change(AdmitGuest(id: guest, nickname: nil))
        let second = start / 1_000
        for user in [guest, bob] { pair.change(RevokeTokens(userID: user, before: second)) }
        let tokens = pair.follower.engine.revokedTokens
        func refuses(_ user: UserID) -> Bool {
            tokens.refuses(Identity(user: user, validFor: nil, issuedAt: second - 1))
        }
        #expect(refuses(guest) && refuses(bob))
        now.withLock { $0 += 60_000 }
        pair.writer.engine.scanGuestsNow()
        pair.writer.settle()
        pair.writer.log.sync()
        try pair.catchUp()
        #expect(pair.follower.log.frames.last?.map(\.event) == [.guestRemoved(guest)])
        #expect(!refuses(guest) && refuses(bob))
    }

    @Test func `a follower that becomes the writer obeys the settings that were changed before`() {
        let pair = Pair()
        var values = SettingValues()
        values.membersPerChannel = 2
        pair.change(UpdateSettings(values))
        pair.changeWriter()
        pair.follower.change(JoinChannel(channelID: general), as: "carol", 7)
        pair.follower.log.sync()
        #expect(pair.follower.ear.news().last == "answer 7 \(ErrorCode.memberLimit.rawValue)")
    }

    @Test func `a follower that becomes the writer continues with the next offset and a greater id`() throws {
        let pair = Pair(followerClock: { start - 3_600_000 })
        pair.change(SendMessage(channelID: general, text: "one"), as: .user(ann))
        pair.changeWriter()
        pair.follower.change(SendMessage(channelID: general, text: "two"), as: bob)
        pair.follower.log.sync()
        let sent = pair.follower.log.frames.joined().compactMap { record -> (MessageID, Int64, UInt64?)? in
            guard case .messageSent(let sent) = record.event else { return nil }
            return (sent.id, record.at, record.positions.first?.offset)
        }
        try #require(sent.count == 2)
        #expect(sent[0].0 < sent[1].0)
        #expect(sent[0].1 <= sent[1].1)
        #expect(sent.map(\.2) == [3, 4])
    }

    @Test func `frames that the follower has are ignored`() throws {
        let pair = Pair()
        let before = pair.follower.log.frames
        #expect(try pair.catchUp() == 2)
        #expect(try pair.catchUp(Array(pair.frames.prefix(1))) == 2)
        #expect(pair.follower.log.frames == before)
    }

    @Test func `a gap or a frame of another history is reported, and nothing after it is applied`() throws {
        let pair = Pair()
        pair.writer.change(SendMessage(channelID: general, text: "one"), as: ann)
        pair.writer.change(SendMessage(channelID: general, text: "two"), as: ann)
        let frames = pair.frames
        #expect(throws: Divergence.self) { try pair.catchUp([frames[3]]) }
        #expect(pair.follower.log.frames.count == 2)
        let foreign = LoggedFrame(number: 3, records: frames[3].records)
        #expect(throws: Divergence.self) { try pair.catchUp([foreign, frames[3]]) }
        #expect(pair.follower.log.frames.count == 2)
        #expect(try pair.catchUp() == 4)
    }
}
