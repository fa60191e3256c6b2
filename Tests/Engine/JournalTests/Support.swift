import ChatDomain
import ChatModel
import Dispatch
import Foundation
import Journal
import Simulation
import Synchronization
import TestSupport

/// Returns the n-th frame's records, with a distinct size.
func records(_ n: UInt64) throws -> [Record] {
    let keys = (0..<n % 7).map { "key \($0) of \(n)" }
    let channel = try valid(ChannelID("general"))
    return [
        Record(
            event: .metadataDeleted(channel, keys: keys), at: Int64(n), by: UserID("ann"),
            positions: [RoomOffset(room: .channel(channel), offset: n)])
    ]
}

func valid<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw CocoaError(.coderInvalidValue) }
    return value
}

/// A journal on a simulated disk, with everything its follower received.
final class Shelf: Sendable {
    let queue = DispatchQueue(label: "journal")
    let log: DiskLog<UInt64>
    private let heard = Mutex<[UInt64]>([])
    private let failures = Mutex<[DiskError]>([])
    private let next: Mutex<UInt64>

    /// - Parameter segmentBytes: The segment size, which is small so that segments change often.
    init(
        _ disk: SimulatedDisk, segmentBytes: Int = 1_024, durability: Durability = .fsync, pendingFrames: Int = 65_536,
        seed: UInt64 = 1
    ) throws {
        var options = JournalOptions()
        options.segmentBytes = segmentBytes
        options.durability = durability
        options.retryMilliseconds = 1
        options.pendingFrames = pendingFrames
        let told = Told()
        log = try DiskLog(disk, queue: queue, options: options, salts: SplitMix(seed: seed)) { told.tell($0) }
        next = Mutex(log.lastSequence + 1)
        log.follow { notes in self.heard.withLock { $0 += notes } }
        told.listener.withLock { $0 = { error in self.failures.withLock { $0.append(error) } } }
    }

    private final class Told: Sendable {
        let listener = Mutex<(@Sendable (DiskError) -> Void)?>(nil)
        func tell(_ error: DiskError) { listener.withLock { $0 }?(error) }
    }

    /// - Returns: The frame's number; `nil` if there is no space.
    @discardableResult
    func append() throws -> UInt64? {
        guard let reservation = log.reserve() else { return nil }
        let number = next.withLock { next in
            defer { next += 1 }
            return next
        }
        log.append(try records(number), expecting: number, note: number, in: reservation)
        return number
    }

    /// Waits until everything appended is on disk or refused.
    func settle() { queue.sync {} }

    func close() {
        log.close {}
        settle()
    }

    /// Frames that were delivered: acknowledged, as far as clients are concerned.
    var acknowledged: [UInt64] { heard.withLock(\.self) }
    var errors: [DiskError] { failures.withLock(\.self) }

    /// Returns every frame that the journal contained when it was opened.
    ///
    /// - Throws: If a frame differs from the one appended under its number.
    func kept() throws -> [UInt64] {
        var numbers: [UInt64] = []
        try log.read(from: 1) { number, found in
            guard found == (try records(number)), number == UInt64(numbers.count) + 1 else {
                throw CocoaError(.coderReadCorrupt)
            }
            numbers.append(number)
        }
        return numbers
    }
}
