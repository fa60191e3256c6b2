import ChatDomain
import Dispatch
import Gateway
import Journal
import Synchronization
import WireProtocol

@testable import ChatEngine

/// The log of a cluster's node in memory: of the one that decides, or of one that follows it.
final class FollowedLog: EventLog {
    private struct Contents {
        var frames: [LoggedFrame] = []
        var last: UInt64 = 0
        /// The answers to other nodes' commands, in words.
        var answers: [String] = []
    }

    private let queue: DispatchQueue
    private let isFollower: Bool
    private let contents = Mutex(Contents())
    private let waiting = Atomic<Int>(0)
    private let follower = Mutex<(@Sendable ([Outcome]) -> Void)?>(nil)

    init(queue: DispatchQueue, isFollower: Bool) {
        self.queue = queue
        self.isFollower = isFollower
    }

    /// Returns the frames since the last call.
    func newFrames() -> [LoggedFrame] {
        contents.withLock { contents in
            defer { contents.frames = [] }
            return contents.frames
        }
    }

    var answers: [String] { contents.withLock(\.answers) }

    func reserve(isForServer: Bool) -> Reservation? { isFollower ? nil : Reservation() }
    func cancel(_ reservation: consuming Reservation) {}

    func append(
        _ records: [Record], expecting sequence: UInt64, note: Outcome, in reservation: consuming Reservation
    ) {
        record(records, note, sequence)
    }

    func mark(_ note: Outcome) { record([], note, contents.withLock(\.last)) }

    private func record(_ records: [Record], _ note: Outcome, _ number: UInt64) {
        contents.withLock { contents in
            contents.last = number
            if !records.isEmpty || note.origin != nil {
                contents.frames.append(
                    LoggedFrame(
                        number: number, records: records, freshID: note.freshID, serial: note.origin?.serial,
                        refusal: note.refusal))
            }
            if case .command(_, let answer)? = note.answer, note.origin != nil {
                contents.answers.append(Self.words(answer))
            }
        }
        waiting.add(1, ordering: .relaxed)
        queue.async {
            self.follower.withLock(\.self)?([note])
            self.waiting.subtract(1, ordering: .relaxed)
        }
    }

    static func words(_ answer: Answer) -> String {
        switch answer {
        case .success(let value): String(decoding: WireEncoder().encode(value), as: UTF8.self)
        case .failure(let refusal): "\(refusal.code.rawValue) \(refusal.detail ?? "")"
        }
    }

    var isSynced: Bool { waiting.load(ordering: .relaxed) == 0 }
    func follow(_ follower: @escaping @Sendable ([Outcome]) -> Void) { self.follower.withLock { $0 = follower } }
    func close(_ done: @escaping @Sendable () -> Void) { queue.async(execute: done) }
    var lastSequence: UInt64 { 0 }
    func base() -> (state: ChatState, sequence: UInt64) { (ChatState(), 0) }
    func read(from sequence: UInt64, _ body: (UInt64, [Record]) throws -> Void) {}
}
