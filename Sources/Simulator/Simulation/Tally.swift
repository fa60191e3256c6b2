/// Counts of the events in a simulation.
package struct Tally: Equatable, Sendable, CustomStringConvertible {
    package private(set) var lives = 0
    package private(set) var powerCuts = 0
    package private(set) var kills = 0
    package private(set) var closes = 0
    package private(set) var failures = 0
    package private(set) var failedStarts = 0
    package private(set) var frames = 0
    package private(set) var cuts = 0
    package private(set) var asked = 0
    package private(set) var acknowledged = 0
    package private(set) var withoutSpace = 0
    /// Commands refused until the user's budget recovered.
    package private(set) var overBudget = 0
    package private(set) var received = 0
    package private(set) var connections = 0
    /// Connections broken by the network or the end of a process.
    package private(set) var breaks = 0
    package private(set) var silences = 0
    /// Connections that the server closed: as slow, for a missing pong, or for another reason.
    package private(set) var slow = 0
    package private(set) var withoutPong = 0
    package private(set) var sentAway = 0
    package private(set) var recoveries = 0
    package private(set) var recovered = 0
    package private(set) var recoveriesImpossible = 0
    package private(set) var damages = 0
    package private(set) var damagesRefused = 0
    package private(set) var snapshots = 0
    package private(set) var snapshotsFailed = 0
    /// Commands of the backend that succeeded.
    package private(set) var backendCommands = 0
    /// Connections closed because their token was revoked.
    package private(set) var withoutToken = 0
    package private(set) var guests = 0
    package private(set) var guestsRemoved = 0
    /// Messages that ended by themselves.
    package private(set) var messagesEnded = 0
    /// Users who were deleted, and how often a disk was cleared of some.
    package private(set) var deletedUsers = 0
    package private(set) var erasures = 0
    package private(set) var removals = 0
    package private(set) var imports = 0
    /// Only in clusters: terms of the log, commands sent to another node, servers' lives, those that left on their own,
    /// stopped processes, changes of contact, and reads with and without the writer's answer.
    package private(set) var terms = 0
    package private(set) var relays = 0
    package private(set) var nodeLives = 0
    package private(set) var departures = 0
    package private(set) var stops = 0
    package private(set) var contactChanges = 0
    package private(set) var reads = 0
    package private(set) var localReads = 0

    package init() {}

    package init(_ history: History) {
        for moment in history.moments { count(moment) }
    }

    private mutating func count(_ moment: History.Moment) {
        switch moment {
        case .began(_, _, let cutBytes):
            lives += 1
            if cutBytes > 0 { cuts += 1 }
        case .startFailed: failedStarts += 1
        case .failed: failures += 1
        case .synced: break
        case .appended(let frame):
            frames += 1
            for record in frame.records {
                switch record.event {
                case .userCreated(let user) where user.id.isGuest: guests += 1
                case .guestRemoved: guestsRemoved += 1
                case .messageDeleted where record.by == nil: messagesEnded += 1
                case .userForgotten: deletedUsers += 1
                case .historyTrimmed: removals += 1
                case .importSettled(let settled) where !settled.opened.isEmpty: imports += 1
                default: break
                }
            }
        case .backendAnswered(_, .success): backendCommands += 1
        case .asked: asked += 1
        case .answered(_, _, .done): acknowledged += 1
        case .answered(_, _, .refused(code: 1040)): withoutSpace += 1
        case .answered(_, _, .refused(code: 111)): overBudget += 1
        case .eventReceived: received += 1
        case .subscribed(_, _, _, _, .recovered(_, let events)):
            recoveries += 1
            recovered += events.count
        case .subscribed(_, _, _, _, .impossible): recoveriesImpossible += 1
        case .ended(.powerCut): powerCuts += 1
        case .ended(.killed): kills += 1
        case .ended(.closed): closes += 1
        case .foundDamaged(let frames, _):
            damages += 1
            if frames == nil { damagesRefused += 1 }
        case .compacted: snapshots += 1
        case .compactionFailed: snapshotsFailed += 1
        case .erased: erasures += 1
        case .line(_, .opened): connections += 1
        case .line(_, .broke): breaks += 1
        case .line(_, .fellSilent): silences += 1
        case .line(_, .closed(code: 3008)): slow += 1
        case .line(_, .closed(code: 3012)): withoutPong += 1
        case .line(_, .closed(code: 3500)): withoutToken += 1
        case .line(_, .closed): sentAway += 1
        case .refused, .answered, .subscribed, .unsubscribed, .disconnected, .line, .inputSent, .protocolViolated,
            .quiet, .reported, .backendAnswered, .backendCommanded, .tokenPresented, .tokenAccepted:
            break
        case .cluster(let moment): count(moment)
        }
    }

    private mutating func count(_ moment: History.ClusterMoment) {
        switch moment {
        case .termBegan: terms += 1
        case .carriedOut: relays += 1
        case .nodeBegan: nodeLives += 1
        case .nodeEnded(_, .powerCut): powerCuts += 1
        case .nodeEnded(_, .killed): kills += 1
        case .nodeEnded(_, .closed): closes += 1
        case .nodeStartFailed: failedStarts += 1
        case .nodeFailed: departures += 1
        case .nodeStopped: stops += 1
        case .contactChanged: contactChanges += 1
        case .readsLocally: localReads += 1
        case .readAnswered(_, _?): reads += 1
        case .logBroken, .nodeContinued, .clientOpened, .readBegan, .readAnswered, .backendSent, .presence: break
        }
    }

    package mutating func add(_ other: Tally) {
        for path in Self.counts { self[keyPath: path] += other[keyPath: path] }
    }

    private static var counts: [WritableKeyPath<Tally, Int>] {
        [
            \.lives, \.powerCuts, \.kills, \.closes, \.failures, \.failedStarts, \.frames, \.cuts, \.asked,
            \.acknowledged, \.withoutSpace, \.overBudget, \.received, \.recoveries, \.recovered,
            \.recoveriesImpossible, \.damages, \.damagesRefused, \.snapshots, \.snapshotsFailed,
            \.connections, \.breaks, \.silences, \.slow, \.withoutPong, \.sentAway,
            \.backendCommands, \.withoutToken, \.guests, \.guestsRemoved, \.messagesEnded,
            \.deletedUsers, \.erasures, \.removals, \.imports,
            \.terms, \.relays, \.nodeLives, \.departures, \.stops, \.contactChanges, \.reads, \.localReads,
        ]
    }

    package var description: String {
        "\(lives) lives, \(powerCuts) power cuts, \(kills) kills, \(closes) orderly ends, \(failures) disk failures, "
            + "\(failedStarts) failed starts, \(cuts) torn tails, \(frames) frames, \(asked) commands, "
            + "\(acknowledged) acknowledged, \(withoutSpace) without space, \(overBudget) over a budget, "
            + "\(received) events received, "
            + "\(connections) connections, \(breaks) broken, \(silences) silent, \(slow) slow, "
            + "\(withoutPong) without pong, \(sentAway) sent away, "
            + "\(recoveries) recoveries of \(recovered) events, \(recoveriesImpossible) impossible, "
            + "\(damages) damaged copies, \(damagesRefused) of them refused, "
            + "\(snapshots) snapshots, \(snapshotsFailed) that failed, "
            + "\(backendCommands) commands of the backend, \(withoutToken) revoked, "
            + "\(guests) guests, \(guestsRemoved) forgotten, \(messagesEnded) messages ended, "
            + "\(deletedUsers) users deleted, \(erasures) disks cleared, \(removals) histories cut, \(imports) imports"
            + (terms > 0 ? ", \(clusterText)" : "")
    }

    private var clusterText: String {
        "\(terms) terms, \(relays) relayed, \(nodeLives) lives of nodes, \(departures) departures, \(stops) stops, "
            + "\(contactChanges) changes of contact, \(reads) reads, \(localReads) answered without the writer"
    }
}
