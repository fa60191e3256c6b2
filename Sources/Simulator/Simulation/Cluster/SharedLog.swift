import ChatDomain
import Gateway
import Records
import Replication

/// The shared log as its store has it, read without any node. Records each frame at the moment at which it is stored.
///
/// Confined to the simulator's thread.
final class SharedLog {
    private let recorder: Recorder
    private var reader: LogReader
    private(set) var frames: [History.Frame] = []

    init(cluster: String, _ recorder: Recorder) {
        self.recorder = recorder
        reader = LogReader(cluster: cluster, lastFrame: 0)
    }

    func receive(_ entry: LogEntry) {
        recorder.hash { $0.add(entry.message) }
        do {
            let known = frames.count
            for step in try reader.receive(entry) { try receive(step) }
            if frames.count > known { recorder.record(.synced(upTo: UInt64(frames.count))) }
        } catch {
            recorder.record(.cluster(.logBroken("message \(entry.number): \(error)")))
        }
    }

    private func receive(_ step: LogReader.Step) throws {
        switch step {
        case .term(let term):
            recorder.record(.cluster(.termBegan(term.number, writer: "\(term.writer)")))
        case .frame(let numbered, _):
            let tag = numbered.frame.tag
            if tag.answersNode {
                recorder.record(.cluster(.carriedOut(CommandOrigin(node: tag.origin, serial: tag.serial))))
            }
            guard numbered.frame.isNumbered else { return }
            let records = try RecordCoder.decode(numbered.frame.payload)
            let frame = History.Frame(sequence: numbered.number, records: records)
            frames.append(frame)
            recorder.record(.appended(frame))
        case .known, .needs: break
        }
    }
}
