import Gateway

/// Makes sure that only one live process is the node of a name.
///
/// A new process asks on the subject of its name, which the node serves. It is no node while another answers, and gives up
/// after 3 s of that. It takes over at once if nobody serves the subject, and after 3 s of silence otherwise. A node that
/// hears of a later process that took over, because this one was stopped or cut off, gives up too.
///
/// Pure: the owner asks, and reports what it hears. Times are milliseconds of a clock that never goes back.
struct NameClaim: Sendable {
    enum State: Equatable, Sendable {
        /// Perhaps another process has the name.
        case open
        /// This process is the node.
        case held
        /// Another live process is the node.
        case taken
    }

    private(set) var state = State.open
    private let node: NodeID
    private let began: Int64
    private var lastSign: Int64
    private var nextQuestion: Int64

    /// How long a process waits for another of its name to fall silent, and how long that must last, in milliseconds.
    static let patience: Int64 = 3_000
    /// The pause between two questions, and how long each waits for the reply, in milliseconds.
    static let interval: Int64 = 250

    init(_ node: NodeID, at now: Int64) {
        self.node = node
        began = now
        lastSign = now
        nextQuestion = now
    }

    /// Returns whether to ask now, on the subject of the name.
    mutating func asks(at now: Int64) -> Bool {
        guard state == .open, now >= nextQuestion else { return false }
        nextQuestion = now + Self.interval
        return true
    }

    /// Receives the result of a question.
    mutating func receive(_ reply: BusReply, at now: Int64) {
        guard state == .open else { return }
        switch reply {
        case .nobody: state = .held
        case .reply: showSign(at: now)
        case .silence where now - lastSign >= Self.patience: state = .held
        case .silence: break
        }
    }

    /// Receives a beat of another process with this name.
    mutating func hear(_ other: NodeID, at now: Int64) {
        switch state {
        case .open: showSign(at: now)
        case .held where other.start > node.start: state = .taken
        // It will hear this node's beats.
        case .held, .taken: break
        }
    }

    private mutating func showSign(at now: Int64) {
        lastSign = now
        if now - began >= Self.patience { state = .taken }
    }
}
