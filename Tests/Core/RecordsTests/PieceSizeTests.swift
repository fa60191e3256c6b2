import ChatDomain
import ChatModel
import Foundation
import Testing

@testable import Records

/// Issue 20, A1: snapshot parts were split by count, and some not at all. The 187,000 threads of one channel made a
/// part that trapped the writer, again at each startup.
@Suite struct PieceSizeTests {
    private static func text(_ bytes: Int, _ number: Int = 0) -> String {
        "\(number)" + String(repeating: "x", count: bytes - "\(number)".utf8.count)
    }

    /// Returns a user id of 320 bytes, the maximum.
    private static func user(_ number: Int) throws -> UserID {
        let name = "\(number)" + String(repeating: "\u{10FFFF}", count: 80 - "\(number)".utf8.count)
        return try #require(UserID(name))
    }

    private static func id(_ number: Int) -> MessageID { MessageID(high: .max, low: UInt64(number)) }

    private static let count = 300

    /// Returns a state with many items of each kind, with every field at its maximum size.
    private static func largest() throws -> ChatState {
        let users = try (0..<count).map(user)
        let channel = try #require(ChannelID(text(100)))
        let state = ChatState()
        func metadata(_ keys: Int) -> [String: String] {
            Dictionary((0..<keys).map { (text(128, $0), text(1_024)) }) { first, _ in first }
        }
        try state.load(
            .app(
                AppPart(
                    lastAt: .max,
                    emojis: (0..<500).map {
                        Emoji(key: text(64, $0), url: text(2_048), character: nil, category: text(300))
                    },
                    webhooks: [], overrides: SettingValues())))
        try state.load(
            .users(
                users.enumerated().map { index, user in
                    UserPart(
                        user: .init(
                            id: user, nickname: text(320), profileURL: text(2_048), metadata: metadata(index % 51),
                            inboxEpoch: text(13)),
                        autoAcceptInvitations: true, isActive: true, push: .mentionOnly,
                        devices: (0..<(index % 21)).map {
                            Device(provider: .web, token: text(4_096, index * 100 + $0))
                        },
                        inboxTop: UInt64(Int64.max), tokensRevokedBefore: .min, seenAt: .min)
                }))
        try state.load(
            .files(
                users.enumerated().map { index, user in
                    FilePart(
                        file: UploadedFile(
                            id: FileID(high: .max, low: UInt64(index)), channel: channel, owner: user, name: text(800),
                            size: 1 << 40, mimeType: text(127)),
                        at: .min, message: index.isMultiple(of: 2) ? id(index) : nil)
                }))
        try state.load(
            .reports(
                users.enumerated().map { index, user in
                    ReportPart(
                        report: .init(
                            id: id(index), category: .spam, description: text(1_024),
                            target: .message(channel, id(index)), by: user), at: .min)
                }))
        try state.load(
            .channel(
                ChannelPart(
                    channel: .init(
                        id: channel, epoch: text(13), name: text(800), isPublic: true, isSuper: true, isEphemeral: true,
                        distinctKey: DistinctKey(members: Set(users), customType: text(128)), coverURL: text(2_048),
                        data: text(8_192), customType: text(128), metadata: metadata(50), creator: users[0],
                        creatorRole: .operator),
                    createdAt: .max, isFrozen: true, top: UInt64(Int64.max), invitations: [], bans: [], mutes: [],
                    threads: [], messageCount: count)))
        var lists = ChannelMorePart()
        lists.invitations = users.map { InvitationPart(user: $0, inviter: users[0], role: .operator, at: .max) }
        lists.bans = users.map {
            SanctionPart(user: $0, until: .max, description: text(1_024), at: .min, by: users[0])
        }
        lists.mutes = lists.bans
        lists.threads = (0..<count).map { ThreadPart(parent: id($0), title: text(800), data: text(8_192)) }
        try state.load(.channelMore(channel, lists))
        try state.load(
            .members(
                channel,
                users.enumerated().map { index, user in
                    let marks = index == 7 ? 60_000 : index % 40
                    return MemberPart(
                        user: user, role: .operator, joinedAt: .min, invitedBy: users[0], since: .max, joinOffset: .max,
                        visibleFrom: .max, lastRead: .max, receipt: .max,
                        threadMarks: (0..<marks).map { .init(parent: id($0), upTo: .max) },
                        hidden: .hiddenPreventAutoUnhide, push: .off)
                }))
        try state.load(.messages(channel, MessageColumns(messages(users))))
        return state
    }

    private static func messages(_ users: [UserID]) -> [MessagePart] {
        (0..<count).map { index in
            var details = MessagePart.Details()
            details.replyToChannel = true
            (details.customType, details.data) = (text(128), text(8_192))
            details.mentions = .users(Array(users.prefix(100)))
            details.updatedAt = .min
            details.sentContent = .max
            var extras = MessageExtras()
            extras.metaArrays = Dictionary(
                (0..<20).map { (text(128, $0), Array(repeating: text(6), count: 100)) }
            ) { first, _ in first }
            extras.targetLanguages = Array(repeating: text(35), count: 10)
            extras.pushOption = .suppress
            extras.criticalAlert = CriticalAlert(name: text(512), volume: 0.3)
            extras.files = (0..<20).map {
                MessageFile(
                    id: FileID(high: .max, low: UInt64($0)), url: text(2_048), name: text(800), size: .max,
                    mimeType: text(127))
            }
            extras.thumbnailSizes = Array(repeating: ThumbnailSize(maxWidth: 4_096, maxHeight: 4_096), count: 3)
            details.extras = extras
            if index.isMultiple(of: 60) {
                details.reactions = ReactionsPart(
                    updatedAt: .max / 2,
                    keys: (0..<(index == 120 ? 100 : 2)).map { key in
                        .init(
                            key: text(64, key), updatedAt: .max / 2,
                            reactors: users.enumerated().map { .init(user: $1, offset: 1 << 60 + UInt64($0)) })
                    })
            }
            return MessagePart(
                id: id(index), offset: UInt64(index) + 1 << 50, createdAt: .max / 2, kind: .files, text: text(16_384),
                sender: users[index], clientID: text(128, index), parent: index > 0 ? id(0) : nil, details: details)
        }
    }

    private static func pieces(_ state: ChatState, _ limits: PieceLimits = PieceLimits()) -> [StatePart] {
        var pieces: [StatePart] = []
        state.parts(limits) { pieces.append($0) }
        return pieces
    }

    /// The budget applies to 1 MiB and to less, down to the largest single item.
    @Test(arguments: [262_144, 524_288, 1_048_576])
    func `every part of the largest legal state stays within the budget, and all parts together restore it`(
        bytes: Int
    ) throws {
        var limits = PieceLimits()
        limits.bytes = bytes
        let state = try Self.largest()
        let again = ChatState()
        var counts: [String: Int] = [:]
        for piece in Self.pieces(state, limits) {
            let encoded = try #require(StateCoder.encode(piece))
            #expect(encoded.count <= bytes, "\(piece.name)")
            counts[String(piece.name.prefix { $0 != " " }), default: 0] += 1
            try again.load(try StateCoder.decode(encoded))
        }
        #expect(
            Set(counts.keys) == [
                "app", "emojis", "users", "files", "reports", "channel", "people", "members", "thread", "messages",
                "reactions",
            ])
        // Printing the parts on failure would take minutes.
        let isSame = Self.pieces(again) == Self.pieces(state)
        #expect(isSame)
        #expect(counts["channel"] == 1 && counts["messages", default: 0] > 10)
    }

    @Test func `20,000 threads of 8 KiB are written in parts of 1 MiB and read back`() throws {
        let channel = try #require(ChannelID("general"))
        let state = ChatState()
        try state.load(
            .channel(
                ChannelPart(
                    channel: .init(
                        id: channel, epoch: "e", name: "General", isPublic: true, isSuper: false, metadata: [:],
                        creatorRole: .operator),
                    createdAt: 1, isFrozen: false, top: 40_000, invitations: [], bans: [], mutes: [], threads: [],
                    messageCount: 0)))
        let data = Self.text(8_192)
        var lists = ChannelMorePart()
        lists.threads = (0..<20_000).map { ThreadPart(parent: Self.id($0), title: nil, data: data) }
        try state.load(.channelMore(channel, lists))
        var (sizes, threads) = ([Int](), 0)
        state.parts { piece in
            sizes.append(StateCoder.encode(piece)?.count ?? .max)
            switch piece {
            case .channel(let part): threads += part.threads.count
            case .channelMore(_, let part): threads += part.threads.count
            default: break
            }
        }
        #expect(threads == 20_000)
        #expect(sizes.count > 150 && sizes.allSatisfy { $0 <= 1_048_576 })
    }

    @Test func `a computed weight is never below the actual size`() throws {
        func check(_ weight: Int, _ piece: StatePart) throws {
            let bytes = try #require(StateCoder.encode(piece)).count
            // The surrounding part adds a little.
            #expect(bytes <= weight + 512, "\(piece.name)")
        }
        for piece in try stateExamples() + Self.pieces(try Self.largest()) {
            switch piece {
            case .users(let list): for part in list { try check(part.weight, .users([part])) }
            case .files(let list): for part in list { try check(part.weight, .files([part])) }
            case .imports(let list): for part in list { try check(part.weight, .imports([part])) }
            case .blocks(let id, let list): for part in list { try check(part.weight, .blocks(id, [part])) }
            case .runs(let id, let first, let list):
                for part in list { try check(part.weight, .runs(id, first: first, [part])) }
            case .erased(let list): for part in list { try check(part.weight, .erased([part])) }
            case .reports(let list): for part in list { try check(part.weight, .reports([part])) }
            case .emojis(let list): for part in list { try check(part.weight, .emojis([part])) }
            case .members(let id, let list): for part in list { try check(part.weight, .members(id, [part])) }
            case .threadMarks(let id, let user, let list):
                try check(list.reduce(0) { $0 + $1.weight }, .threadMarks(id, user, list))
            case .messages(let id, let list):
                for part in list { try check(part.weight, .messages(id, MessageColumns([part]))) }
            case .reactions(let id, let place, let part):
                try check(part.weight, .reactions(id, place: place, part))
            case .channelMore(let id, let lists):
                let people = lists.invitations.reduce(0) { $0 + $1.weight }
                let sanctions = (lists.bans + lists.mutes).reduce(0) { $0 + $1.weight }
                let threads = lists.threads.reduce(0) { $0 + $1.weight }
                let senders = lists.senders.reduce(0) { $0 + $1.weight }
                try check(people + sanctions + threads + senders, .channelMore(id, lists))
            case .channel(var part):
                (part.invitations, part.bans, part.mutes, part.threads) = ([], [], [], [])
                part.senders = []
                try check(part.weight, .channel(part))
            case .appSanctions(let lists):
                try check((lists.bans + lists.mutes).reduce(0) { $0 + $1.weight }, .appSanctions(lists))
            case .blockLists(let list): for part in list { try check(part.weight, .blockLists([part])) }
            case .roles(let list): for part in list { try check(part.weight, .roles([part])) }
            case .textRules(let list): for part in list { try check(part.weight, .textRules([part])) }
            case .moderationLog(let list): for part in list { try check(part.weight, .moderationLog([part])) }
            case .app, .orphans: break
            }
        }
    }
}

@Suite struct RecordSizeTests {
    @Test func `a record is never larger than its estimate`() throws {
        for record in try exampleRecords() {
            let bytes = try #require(RecordCoder.encode([record])).count
            #expect(bytes <= record.largestSize, "\(record.event)")
        }
    }

    /// The largest command is a message to a super channel, which unhides it for up to 1,000,000 users.
    @Test func `the largest commands that the limits allow fit into a frame`() throws {
        let name = String(repeating: "\u{10FFFF}", count: 80)
        let user = try #require(UserID(name))
        let channel = try #require(ChannelID(String(repeating: "c", count: 100)))
        func size(_ event: Event) -> Int {
            Record(event: event, at: .max, by: user, positions: []).largestSize
        }
        let frame = 1 << 30
        #expect(1_000_000 * size(.channelUnhidden(channel, user)) < frame)
        let joined = Event.MemberJoined(
            channel: channel, user: user, role: .operator, invitedBy: user, seesHistory: true)
        // channel.upsert_many: 100 channels with 1,000 users each, who are invited and join.
        #expect(
            100_000 * (size(.memberJoined(joined)) + size(.invited(channel, user, by: user, role: .operator))) < frame)
        #expect(1_000 * 1_048_576 < frame, "whatever else is told so often is below 1 MiB each")
    }
}
