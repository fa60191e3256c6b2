import Gateway

/// Checks that a cluster has one log: every journal is a prefix of it, each term has one writer, and each command that a
/// node sent to the writer is in it at most once. No node may leave without a fault, and the backend receives exactly one
/// answer unless its node ends.
struct OneLogCheck: Check {
    private var log: [History.Frame] = []
    private var terms: UInt64 = 0
    private var commands: Set<CommandOrigin> = []
    private var ends: [Int: History.End] = [:]
    /// The unanswered commands of the backend, and the nodes that they were sent to.
    private var sent: [UInt32: Int] = [:]

    mutating func observe(_ moment: History.Moment) throws(Broken) {
        switch moment {
        case .appended(let frame): log.append(frame)
        case .cluster(let moment): try observe(moment)
        case .backendAnswered(let number, _): sent[number] = nil
        case .quiet:
            if let (number, node) = sent.min(by: { $0.key < $1.key }) {
                throw Broken(.oneAnswer, "node \(node) never answered the backend's command \(number)")
            }
        default: break
        }
    }

    private mutating func observe(_ moment: History.ClusterMoment) throws(Broken) {
        switch moment {
        case .termBegan(let number, let writer):
            guard number == terms + 1 else {
                throw Broken(.oneLog, "term \(number) of \(writer) began after term \(terms)")
            }
            terms = number
        case .carriedOut(let origin):
            guard commands.insert(origin).inserted else {
                throw Broken(.oneAnswer, "command \(origin.serial) of \(origin.node) was carried out twice")
            }
        case .logBroken(let problem): throw Broken(.oneLog, problem)
        case .nodeBegan(let node, let frames, let wasUnclean):
            guard log.starts(with: frames) else {
                throw Broken(.oneLog, "node \(node) found frames that are not in the log")
            }
            if ends[node] == .closed, wasUnclean {
                throw Broken(.nothingLost, "node \(node) found its cleanly closed journal unclean")
            }
        case .nodeEnded(let node, let end):
            ends[node] = end
            sent = sent.filter { $0.value != node }
        case .nodeFailed(let node, let reason, let isExpected):
            guard isExpected else { throw Broken(.nodesStay, "node \(node): \(reason)") }
        case .backendSent(let number, let node): sent[number] = node
        case .nodeStartFailed(let node): ends[node] = nil
        case .nodeStopped, .nodeContinued, .contactChanged, .readsLocally, .clientOpened, .readBegan, .readAnswered,
            .presence:
            break
        }
    }
}
