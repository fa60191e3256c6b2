import ChatDomain
import ChatEngine
import ChatModel
import Gateway
import TestSupport
import Testing

@testable import Cluster

/// The bytes of what nodes tell each other.
@Suite struct BusMessagesTests {
    private static let commands = [
        RelayedCommand(
            serial: 1, method: "channel.create", request: Array(#"{"id":"general"}"#.utf8), caller: .server,
            admitsNewcomer: false, guestOrigin: nil),
        RelayedCommand(
            serial: .max, method: "message.send", request: [], caller: .user("ann"), admitsNewcomer: true,
            guestOrigin: GuestOrigin(block: "2001:db8::/64", network: "2001:db8::/48")),
        RelayedCommand(
            serial: 7, method: "", request: [0, 255], caller: .user("ä\u{301}\u{1F600}"), admitsNewcomer: false,
            guestOrigin: GuestOrigin(block: "", network: "")),
    ]

    private static let news: [ClusterNews] = {
        var event = TypedEvent(type: .messageNew, at: 1_780_000_000_000, by: "ann")
        event.channelID = ChannelID("general")
        let rooms = ChannelID("general").map { [Room.channel($0), .inbox("ann")] } ?? []
        let events = rooms.map { ClusterNews.event(event, in: $0) }
        return events + [
            .signal(method: "typing.start", request: Array(#"{"channel_id":"general"}"#.utf8), .user("ann")),
            .signal(method: "typing.stop", request: [], .server),
        ]
    }()

    @Test(arguments: BusMessagesTests.commands)
    func `a command is the same after its way over the bus`(command: RelayedCommand) {
        #expect(RelayedCommand(command.encoded) == command)
    }

    @Test(arguments: BusMessagesTests.news)
    func `news are the same after their way over the bus, and name their sender`(news: ClusterNews) throws {
        let proto = try #require(ProtoNews(encoded: news.encoded(from: ann)))
        #expect(ClusterNews(proto) == news)
        #expect(NodeID(proto.sender) == ann)
    }

    @Test func `pieces and their number are the same after their way over the bus`() throws {
        let (some, none): ([UInt8], [UInt8]) = ([1, 2], [])
        let pieces = [ProtoPiece(some[...], ends: false), ProtoPiece(none[...], ends: true)]
        let relay = try #require(ProtoRelay(encoded: ProtoRelay(from: bob, first: 9, pieces: pieces).encoded))
        #expect(NodeID(relay.origin) == bob)
        #expect(relay.first == 9)
        #expect(relay.pieces == pieces)
        #expect(ProtoRelayReply(encoded: ProtoRelayReply(received: 5).encoded)?.received == 5)
        #expect(ProtoLastFrame(encoded: ProtoLastFrame(.max).encoded)?.frame == .max)
    }

    @Test func `a command without a serial or with a bad user is ignored`() {
        func decoded(_ change: (inout ProtoCommand) -> Void) -> RelayedCommand? {
            var proto = ProtoCommand()
            proto.serial = 1
            change(&proto)
            return RelayedCommand(proto.encoded)
        }
        #expect(decoded { _ in } != nil)
        #expect(decoded { $0.serial = 0 } == nil)
        #expect(decoded { $0.user = "" } == nil)
        #expect(decoded { $0.user = String(repeating: "a", count: 10_000) } == nil)
    }

    @Test func `news without content, or with a bad user, room or event, are ignored`() {
        func decoded(_ change: (inout ProtoNews) -> Void) -> ClusterNews? {
            var proto = ProtoNews()
            change(&proto)
            return ClusterNews(proto)
        }
        #expect(decoded { _ in } == nil)
        #expect(decoded { $0.signal.user = "" } == nil)
        #expect(decoded { $0.event.room = "general" } == nil)
        #expect(decoded { $0.event.event = .init(#"{"type":"message.new","at":1}"#.utf8) } == nil)
        let isEvent = decoded {
            $0.event.event = .init(#"{"type":"message.new","at":1}"#.utf8)
            $0.event.room = "general"
        }
        #expect(isEvent != nil)
        let isBroken = decoded {
            $0.event.event = .init(#"{"type":"#.utf8)
            $0.event.room = "general"
        }
        #expect(isBroken == nil)
    }

    @Test func `a node without a name or with an endless one is none`() {
        var proto = ProtoNode(ann)
        #expect(NodeID(proto) == ann)
        proto.name = ""
        #expect(NodeID(proto) == nil)
        proto.name = String(repeating: "n", count: NodeID.nameLimit + 1)
        #expect(NodeID(proto) == nil)
    }

    /// Reads bytes as a message of each kind, and uses what they mean.
    private func read(_ bytes: [UInt8], _ intake: RelayIntake, _ presence: inout RemotePresence) {
        _ = RelayedCommand(bytes)
        if let relay = ProtoRelay(encoded: bytes) {
            for command in intake.take(relay) { intake.finish(command) }
        }
        if let proto = ProtoNews(encoded: bytes) { _ = ClusterNews(proto) }
        if let reply = ProtoRelayReply(encoded: bytes) {
            var stream = RelayStream()
            stream.append(command(1))
            _ = stream.next(from: ann)
            _ = stream.answered(reply.received)
        }
        if let proto = ProtoPresenceChanges(encoded: bytes) {
            let changes = proto.changes.compactMap { change in
                UserID(change.user).map { (user: $0, isConnected: change.connected) }
            }
            _ = presence.receive(.init(before: proto.before, changes: changes), at: 0)
        }
        if let page = ProtoPresencePage(encoded: bytes) {
            if presence.needsQuestion { presence.ask(1) }
            let users = page.users.compactMap { UserID($0) }
            _ = presence.receive(page: users, changes: page.changes, isLast: page.isLast)
        }
        _ = ProtoPresenceQuestion(encoded: bytes)
        _ = ProtoLastFrame(encoded: bytes)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `bytes of any kind are read or ignored, and never trap`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let intake = RelayIntake()
        var presence = RemotePresence(at: 0)
        var page = ProtoPresencePage()
        (page.changes, page.users, page.isLast) = (3, ["ann", "bob"], true)
        var changes = ProtoPresenceChanges()
        changes.before = 3
        changes.changes = [ProtoPresenceChange()]
        let relay = ProtoRelay(from: ann, first: 1, pieces: [ProtoPiece(command(1).encoded[...], ends: true)])
        let valid =
            Self.commands.map(\.encoded) + Self.news.map { $0.encoded(from: ann) }
            + [page.encoded, changes.encoded, relay.encoded, ProtoRelayReply(received: 1).encoded]
        for _ in 0..<200 {
            var bytes = random.chance(4) ? random.bytes(random.below(60)) : random.pick(valid)
            for _ in 0..<random.below(4) where !bytes.isEmpty {
                let place = random.below(bytes.count)
                switch random.below(3) {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.removeSubrange(place...)
                default: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
                }
            }
            read(bytes, intake, &presence)
        }
    }
}
