import ChatDomain
import Journal

extension Simulator {
    /// Has a snapshot made now and then, as a server would beside its work; what comes of it when the disk fails is the
    /// next server's to see.
    func compactNowAndThen(_ disk: SimulatedDisk) {
        guard let kept = options.keptFrames, compactions.chance(percent: 12) else { return }
        let compaction = Compaction(disk, keeping: kept, bytes: options.keptBytes, salt: compactions.next())
        do {
            guard let result = try compaction.run() else { return }
            recorder.note(.compacted(upTo: result.sequence)) { $0.add(result.sequence) }
        } catch {
            recorder.note(.compactionFailed("\(error)")) { $0.add("\(error)") }
        }
    }
}

/// What a server finds on a disk.
struct Found {
    /// All frames: those that went into its snapshot as they were once written, then those that it read.
    let frames: [History.Frame]
    /// What the snapshot and the frames after it come to.
    private let state: ChatState

    /// - Parameter written: Every frame that was written, as far as anyone knows.
    init(base: (state: ChatState, sequence: UInt64), tail: [History.Frame], written: [History.Frame]) {
        frames = Array(written.prefix(Int(clamping: base.sequence))) + tail
        var state = base.state
        for frame in tail { for record in frame.records { state.evolve(record) } }
        self.state = state
    }

    /// Whether it is what all frames from the beginning come to.
    var isWhole: Bool {
        var whole = ChatState()
        for frame in frames {
            for record in frame.records {
                guard whole.expects(record) else { return false }
                whole.evolve(record)
            }
        }
        return Self.parts(whole) == Self.parts(state)
    }

    private static func parts(_ state: ChatState) -> [StatePart] {
        var parts: [StatePart] = []
        state.parts { parts.append($0) }
        return parts
    }
}

extension History {
    /// Every frame that was written until now and not lost.
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
