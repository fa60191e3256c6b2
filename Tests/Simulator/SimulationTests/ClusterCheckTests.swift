import ChatDomain
import ChatModel
import Gateway
import Simulation
import Testing
import WireProtocol

/// Histories of a cluster that break a guarantee. Each check must notice.
@Suite struct ClusterCheckTests {
    /// A history with commands sent to another node.
    private static let history =
        ClusterSimulationTests.runs.first { Tally($0.history).relays > 0 }?.history ?? History()

    /// The guarantees that a changed history breaks.
    private func broken(_ change: (inout [History.Moment]) throws -> Void) rethrows -> Set<Violation.Guarantee> {
        var history = Self.history
        try change(&history.moments)
        return Set(history.violations(forgetsEvents: true, recoversInParts: true).map(\.guarantee))
    }

    @Test func `the history as it was breaks nothing`() { #expect(broken { _ in }.isEmpty) }

    @Test func `a command that is carried out twice is noticed`() throws {
        let guarantees = try broken { moments in
            let place = try moments.lastPlace { if case .cluster(.carriedOut) = $0 { true } else { false } }
            moments.insert(moments[place], at: place)
        }
        #expect(guarantees == [.oneAnswer])
    }

    @Test func `a command of the backend that is never answered is noticed`() throws {
        let guarantees = try broken { moments in
            let place = try moments.lastPlace { if case .quiet = $0 { true } else { false } }
            moments.insert(.cluster(.backendSent(number: 77, node: 0)), at: place)
        }
        #expect(guarantees == [.oneAnswer])
    }

    @Test func `a journal with another frame is noticed`() throws {
        let guarantees = try broken { moments in
            try moments.changeLast { moment in
                guard case .cluster(.nodeBegan(let node, var frames, let wasUnclean)) = moment, frames.count > 2 else {
                    return false
                }
                frames.remove(at: 1)
                moment = .cluster(.nodeBegan(node, frames, wasUnclean: wasUnclean))
                return true
            }
        }
        #expect(guarantees == [.oneLog])
    }

    @Test func `a second writer in a term is noticed`() throws {
        let guarantees = try broken { moments in
            let place = try moments.lastPlace { if case .cluster(.termBegan) = $0 { true } else { false } }
            moments.insert(moments[place], at: place)
        }
        #expect(guarantees == [.oneLog])
    }

    @Test func `a node that leaves without a fault is noticed`() {
        let guarantees = broken {
            $0.append(.cluster(.nodeFailed(1, "diverged", isExpected: false)))
        }
        #expect(guarantees == [.nodesStay])
    }

    @Test func `a cleanly closed journal that is found unclean is noticed`() {
        let guarantees = broken {
            $0 += [.cluster(.nodeEnded(1, .closed)), .cluster(.nodeBegan(1, [], wasUnclean: true))]
        }
        #expect(guarantees == [.nothingLost])
    }

    @Test func `a user who is shown as online without a connection, or as offline with one, is noticed`() throws {
        let guarantees = try broken { moments in
            try moments.changeLast { moment in
                guard case .cluster(.presence(let node, var members)) = moment, let first = members.first else {
                    return false
                }
                members[0] = History.PresentMember(user: first.user, isOnline: !first.isOnline)
                moment = .cluster(.presence(node, members))
                return true
            }
        }
        #expect(guarantees == [.presence])
    }

    // MARK: Reads

    private let ann = UserID("ann")
    private let room = ChannelID("c1").map { Room.channel($0) }

    /// Two clients of different nodes in a channel with three events. The first one has seen all of them.
    private func reading(offset: UInt64, epoch: String = "e", isLocal: Bool = false) throws -> Set<Violation.Guarantee>
    {
        let (ann, room) = (try #require(ann), try #require(room))
        let channel = try #require(ChannelID("c1"))
        var history = History()
        history.moments = [
            .began([], wasUnclean: false, cutBytes: 0),
            .appended(
                History.Frame(
                    sequence: 1,
                    records: [
                        Record(
                            event: .channelCreated(
                                Event.ChannelCreated(
                                    id: channel, epoch: "e", name: "c1", isPublic: true, isSuper: false, metadata: [:],
                                    creator: ann, creatorRole: .member)),
                            at: 1, by: ann, positions: [RoomOffset(room: room, offset: 1)])
                    ])),
            .appended(History.Frame(sequence: 2, records: [event(channel, room, 2)])),
            .appended(History.Frame(sequence: 3, records: [event(channel, room, 3)])), .synced(upTo: 3),
            .cluster(.clientOpened(client: 0, node: 0)),
            .subscribed(client: 0, user: ann, room, RoomPosition(offset: 3, epoch: "e"), .notAsked),
            .cluster(.clientOpened(client: 1, node: 1)), .cluster(.readBegan(client: 1, command: 1)),
        ]
        if isLocal { history.moments.append(.cluster(.readsLocally(1))) }
        history.moments += [
            .cluster(.readAnswered(client: 1, command: 1)),
            .subscribed(client: 1, user: ann, room, RoomPosition(offset: offset, epoch: epoch), .notAsked),
            .cluster(.readAnswered(client: 1, command: nil)),
        ]
        return Set(history.violations(forgetsEvents: true).map(\.guarantee))
    }

    private func event(_ channel: ChannelID, _ room: Room, _ offset: UInt64) -> Record {
        Record(
            event: .channelFrozen(channel), at: Int64(offset), by: nil,
            positions: [RoomOffset(room: room, offset: offset)])
    }

    @Test func `a read that goes backwards is noticed, unless the writer did not say what it must see`() throws {
        #expect(try reading(offset: 3).isEmpty)
        #expect(try reading(offset: 2) == [.freshReads])
        #expect(try reading(offset: 2, isLocal: true).isEmpty)
    }
}
