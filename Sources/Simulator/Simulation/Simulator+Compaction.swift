import ChatDomain
import Journal

extension Simulator {
    /// Occasionally makes a snapshot while the server runs. If the disk fails, the next server has to cope with the
    /// result.
    func compactOccasionally(_ disk: SimulatedDisk, _ server: SimulatedServer) {
        guard let kept = options.keptFrames, compactionRandom.chance(percent: 12) else { return }
        let compaction = Compaction(
            simulated: disk, keeping: kept, bytes: options.keptBytes, salt: compactionRandom.next())
        do {
            guard let result = try server.compact(compaction) else { return }
            recorder.record(.compacted(upTo: result.sequence)) { $0.add(result.sequence) }
        } catch {
            recorder.record(.compactionFailed("\(error)")) { $0.add("\(error)") }
        }
    }

    /// Proceeds with erasing deleted users from the disk.
    func eraseOccasionally(_ disk: SimulatedDisk, _ server: SimulatedServer) {
        guard backend.deletesUsers else { return }
        do {
            let frames = recorder.history.written
            guard
                let erased = try erasure.proceed(on: server, disk, options, frames, durable: recorder.durable)
            else { return }
            recorder.record(.erased(upTo: erased.frame, leaks: erased.leaks)) { $0.add(erased.frame) }
        } catch {
            recorder.record(.compactionFailed("\(error)")) { $0.add("\(error)") }
        }
    }
}

extension Compaction {
    /// Creates a compaction that stores the few messages of a channel in a run, as a server does with many, and that gives
    /// the same bytes in every process.
    init(simulated disk: SimulatedDisk, keeping kept: Int, bytes: Int, salt: UInt64) {
        var pieces = PieceLimits()
        pieces.leastRun = 1
        self.init(
            disk, keeping: kept, bytes: bytes, salt: salt, hashKey: HashKey(low: 1, high: 2), pieces: pieces)
    }
}

/// The data that a server finds on a disk.
struct Found {
    /// All frames: first those in its snapshot, as originally written, then those that it read.
    let frames: [History.Frame]
    /// The first frame that it read, if there is one.
    let firstRead: UInt64?
    /// The state after the snapshot and the frames after it.
    private let state: ChatState

    /// - Parameters:
    ///   - base: Its state is advanced by `tail`.
    ///   - written: Every frame known to have been written.
    init(base: (state: ChatState, sequence: UInt64), tail: [History.Frame], written: [History.Frame]) {
        firstRead = tail.first?.sequence
        frames = Array(written.prefix(Int(clamping: base.sequence))) + tail
        let state = base.state
        for frame in tail { for record in frame.records { state.evolve(record) } }
        self.state = state
    }

    /// Whether the state equals a replay of all frames from the beginning.
    var isWhole: Bool {
        let whole = ChatState()
        for frame in frames {
            for record in frame.records {
                guard whole.expects(record) else { return false }
                whole.evolve(record)
            }
        }
        return Self.parts(whole) == Self.parts(state)
    }

    /// Whether `isWhole` has met blocks of bodies that cannot be read.
    var hasDamagedBlocks: Bool { !state.blocks.damaged.isEmpty }

    /// Whether the disk has failed while `isWhole` read from it.
    var hasMissedBlocks: Bool { state.blocks.counts.failures > 0 }

    /// What the state consists of, except the bodies in blocks.
    var parts: [StatePart] { Self.parts(state) }

    private static func parts(_ state: ChatState) -> [StatePart] {
        var parts: [StatePart] = []
        state.parts { parts.append($0) }
        return parts
    }
}

extension History {
    /// Every frame written so far and not lost.
    var written: [Frame] {
        var frames: [Frame] = []
        for moment in moments {
            switch moment {
            case .began(let found, _, _): frames = found
            case .appended(let frame): frames.append(frame)
            default: break
            }
        }
        return frames
    }
}
