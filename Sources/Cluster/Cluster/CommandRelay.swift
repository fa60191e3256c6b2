import ChatEngine
import Gateway
import Journal
import Replication

/// Sends this node's commands to the writer of the current term, and asks it how far it has acknowledged. Confined to
/// `queue`.
final class CommandRelay: @unchecked Sendable {
    /// The writer answers as soon as it has a message, so a missing reply means that something was lost.
    private static let requestMilliseconds = 400
    /// The pause before a message that the writer did not take is sent again.
    private static let pauseMilliseconds = 25
    /// How long a question for the last frame may take, with its repetitions.
    private static let questionMilliseconds: Int64 = 1_000

    private let node: NodeID
    private let queue: any SerialQueue
    private let bus: any Bus
    /// Milliseconds; never goes back.
    private let clock: @Sendable () -> Int64
    private var stream = RelayStream()
    private var term: LogTerm?
    /// Whether the engine has named what is to be sent in this term.
    private var isOpen = false
    /// Tells replies in this term from earlier ones.
    private var generation = 0

    init(
        _ node: NodeID, _ queue: any SerialQueue, _ bus: any Bus,
        clock: @escaping @Sendable () -> Int64 = { SteadyClock.now }
    ) {
        self.node = node
        self.queue = queue
        self.bus = bus
        self.clock = clock
    }

    /// A term began. Nothing is sent until `restart`.
    func begin(_ term: LogTerm) {
        // The writer goes on counting what it received in this term.
        guard term != self.term else { return }
        self.term = term
        isOpen = false
        generation += 1
        stream.restart([])
    }

    /// Sends what is still to be decided. Once per term, because the writer counts what it receives in it.
    func restart(_ commands: [RelayedCommand], in number: UInt64) {
        guard let term, term.number == number, !isOpen else { return }
        isOpen = term.writer != node
        generation += 1
        stream.restart(isOpen ? commands : [])
        send()
    }

    func relay(_ command: RelayedCommand) {
        // What comes earlier is among the commands to restart with.
        guard isOpen else { return }
        stream.append(command)
        send()
    }

    func forget(through serial: UInt64) { stream.forget(through: serial) }

    private func send() {
        guard isOpen, let term, let message = stream.next(from: node) else { return }
        let generation = generation
        bus.request(message, to: Subjects.relay(term), milliseconds: Self.requestMilliseconds) { reply in
            self.queue.async { self.answered(reply, generation) }
        }
    }

    private func answered(_ reply: BusReply, _ generation: Int) {
        guard generation == self.generation else { return }
        let received: UInt64? =
            if case .reply(let bytes) = reply { ProtoRelayReply(encoded: bytes)?.received } else { nil }
        if stream.answered(received) { return send() }
        queue.after(milliseconds: Self.pauseMilliseconds) {
            if generation == self.generation { self.send() }
        }
    }

    /// - Parameter done: Receives `nil` if the writer does not answer in time.
    func findLastFrame(_ done: @escaping @Sendable (UInt64?) -> Void) {
        findLastFrame(until: clock() + Self.questionMilliseconds, done)
    }

    private func findLastFrame(until deadline: Int64, _ done: @escaping @Sendable (UInt64?) -> Void) {
        let now = clock()
        guard now < deadline else { return done(nil) }
        guard let term else { return retry(until: deadline, done) }
        bus.request([], to: Subjects.lastFrame(term), milliseconds: Int(deadline - now)) { reply in
            if case .reply(let bytes) = reply, let last = ProtoLastFrame(encoded: bytes) { return done(last.frame) }
            self.queue.async { self.retry(until: deadline, done) }
        }
    }

    private func retry(until deadline: Int64, _ done: @escaping @Sendable (UInt64?) -> Void) {
        queue.after(milliseconds: Self.pauseMilliseconds) {
            self.findLastFrame(until: deadline, done)
        }
    }
}

/// The subjects of the bus that this module uses.
enum Subjects {
    static let news = "news"
    static let presence = "presence"
    static func relay(_ term: LogTerm) -> String { "relay.\(term.number)" }
    static func lastFrame(_ term: LogTerm) -> String { "last.\(term.number)" }
    static func copy(of node: NodeID) -> String { "copy.\(node.name).\(node.start)" }
    static func presence(of node: NodeID) -> String { "presence.\(node.name).\(node.start)" }
}
