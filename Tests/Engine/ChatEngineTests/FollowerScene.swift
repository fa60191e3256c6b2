import ChatDomain
import ChatModel
import Gateway
import Journal
import Synchronization
import Testing
import WireProtocol

@testable import ChatEngine

/// The other nodes of a cluster: records what the engine asks of them.
final class RecordedPort: ClusterPort {
    typealias Question = @Sendable (UInt64?) -> Void

    let relayed = Mutex<[RelayedCommand]>([])
    /// The serials named at the start of a term.
    let restarts = Mutex<[String]>([])
    let forgotten = Mutex<[UInt64]>([])
    let kept = Mutex<[[UInt8]]>([])
    let news = Mutex<[ClusterNews]>([])
    let presence = Mutex<[String]>([])
    let waiting = Mutex<[(frame: UInt64, done: @Sendable () -> Void)]>([])
    private let progress = Atomic(0)
    /// How often the node was told to tell its progress.
    var progressCount: Int { progress.load(ordering: .relaxed) }
    let checksums = EventChecksums(after: 0)
    let isTermCurrent = true
    private let questions = Mutex<[Question]>([])

    func relay(_ command: RelayedCommand) { relayed.withLock { $0.append(command) } }

    func restartRelay(_ commands: [RelayedCommand], in term: UInt64) {
        restarts.withLock { $0.append("term \(term): \(commands.map(\.serial))") }
    }

    func forgetRelayed(through serial: UInt64) { forgotten.withLock { $0.append(serial) } }
    func keep(_ answer: [UInt8]) { kept.withLock { $0.append(answer) } }
    func findLastFrame(_ done: @escaping Question) { questions.withLock { $0.append(done) } }
    func share(_ news: ClusterNews) { self.news.withLock { $0.append(news) } }

    func whenEverywhere(_ frame: UInt64, _ done: @escaping @Sendable () -> Void) {
        waiting.withLock { $0.append((frame, done)) }
    }

    func tellProgress() { progress.add(1, ordering: .relaxed) }

    func presenceChanged(_ user: UserID, isConnected: Bool) {
        presence.withLock { $0.append((isConnected ? "+" : "-") + user.rawValue) }
    }

    /// Questions without an answer.
    var questionCount: Int { questions.withLock(\.count) }

    /// Answers the oldest question.
    func answer(_ frame: UInt64?) {
        let question = questions.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        question?(frame)
    }
}

/// A clock and timers that the test moves.
final class HandClock: Sendable {
    private let milliseconds = Mutex<Int64>(1_780_000_000_000)
    private let bodies = Mutex<[@Sendable () -> Void]>([])

    var now: Int64 { milliseconds.withLock(\.self) }
    func advance(_ milliseconds: Int64) { self.milliseconds.withLock { $0 += milliseconds } }
    func later(_ body: @escaping @Sendable () -> Void) { bodies.withLock { $0.append(body) } }

    /// Runs everything scheduled so far.
    func fire(_ bench: Bench) {
        let due = bodies.withLock { bodies in
            defer { bodies = [] }
            return bodies
        }
        for body in due { bench.engine.runBetweenBatches(body) }
        bench.settle()
    }
}

/// The answers to one client's commands, in words.
final class Answers: Sendable {
    private let list = Mutex<[String]>([])
    var all: [String] { list.withLock(\.self) }

    func address(_ name: String) -> ReturnAddress {
        ReturnAddress { answer in self.list.withLock { $0.append("\(name): \(Self.words(answer))") } }
    }

    static func words(_ answer: Answer) -> String {
        switch answer {
        case .success(let value): String(decoding: WireEncoder().encode(value), as: UTF8.self)
        case .failure(let refusal):
            "\(refusal.code.rawValue) \(refusal.detail ?? "") \(refusal.retryAfterMilliseconds ?? 0)"
        }
    }
}

/// A node that decides, and a node that sends its clients' commands to it.
final class FollowerScene: Sendable {
    let writer: Bench
    let follower: Bench
    let port = RecordedPort()
    let clock = HandClock()
    let answers = Answers()
    private let shown = Mutex(0)

    init(settings: ChatSettings = ChatSettings()) {
        let clock = clock
        writer = Bench(settings: settings, clock: { clock.now })
        follower = Bench(settings: settings, later: { clock.later($1) }, clock: { clock.now })
        follower.log.setFollowing(true)
        follower.engine.join(port)
        log(CreateChannel(id: general, isPublic: true), as: .user(ann))
        log(JoinChannel(channelID: general), as: .user(bob))
    }

    /// The writer carries a command out, and the follower finds its outcome in the log.
    ///
    /// - Parameter serial: The command's number, if the follower sent it.
    /// - Returns: The writer's answer.
    @discardableResult
    func log(_ change: some Change, as caller: Caller, serial: UInt64? = nil) -> String {
        let result = Mutex<Answer?>(nil)
        writer.engine.change(change, as: caller, answerTo: ReturnAddress { answer in result.withLock { $0 = answer } })
        writer.settle()
        writer.log.sync()
        guard let answer = result.withLock(\.self) else { return "no answer" }
        let refusal: [UInt8]? = if case .failure(let refusal) = answer { refusal.encoded } else { nil }
        follow(serial, refusal)
        return Answers.words(answer)
    }

    /// Applies what the writer has decided since, as the outcome of a command.
    func follow(_ serial: UInt64? = nil, _ refusal: [UInt8]? = nil) {
        let (all, ids) = (writer.log.frames, writer.log.ids)
        let known = shown.withLock { shown in
            defer { shown = all.count }
            return shown
        }
        var frames = all.enumerated().dropFirst(known).map { index, records in
            let isLast = index == all.count - 1
            return LoggedFrame(
                number: UInt64(index + 1), records: records, freshID: ids[UInt64(index + 1)],
                serial: isLast ? serial : nil,
                refusal: isLast ? refusal : nil)
        }
        if frames.isEmpty {
            frames = [LoggedFrame(number: UInt64(known), records: [], serial: serial, refusal: refusal)]
        }
        follower.engine.follow(frames) { if case .failure(let reason) = $0 { Issue.record(reason) } }
        follower.settle()
    }

    /// A client of the follower calls a command.
    func send(_ change: some Change, as user: UserID, _ name: String) {
        follower.engine.change(change, as: .user(user), answerTo: answers.address(name))
        follower.settle()
    }

    /// A client of the follower reads over HTTP.
    func read(_ query: some Query, as user: UserID, _ name: String) {
        follower.engine.query(query, as: .user(user), answerTo: answers.address(name))
        follower.settle()
    }

    /// The node that decides answers a question, by default with its last frame.
    func answerQuestion(_ frame: UInt64?) {
        port.answer(frame)
        // The answer, the reads that it lets run, and what follows from them.
        for _ in 0..<3 { follower.settle() }
    }

    var lastFrame: UInt64 { UInt64(writer.log.frames.count) }

    /// Makes everything durable, and returns the answers so far.
    func synced() -> [String] {
        follower.log.sync()
        follower.settle()
        return answers.all
    }

    /// The follower's term begins.
    func lead(term: UInt64) {
        follower.log.setFollowing(false)
        follower.engine.lead(term: term)
        follower.settle()
        follower.settle()
    }
}
