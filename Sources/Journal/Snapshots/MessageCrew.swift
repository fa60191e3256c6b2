import ChatDomain
import Dispatch
import Records
import Synchronization

/// Decodes messages and hands them to their channels on several queues: most of the work of reading a snapshot. A channel
/// is always on the same queue, so its messages come in order and no two queues touch it.
struct MessageCrew {
    /// Pieces under way: each may be some megabytes.
    private static let limit = 16

    /// What went wrong first.
    private final class Trouble: Sendable {
        let first = Mutex<String?>(nil)
        func note(_ problem: String) { first.withLock { $0 = $0 ?? problem } }
    }

    private let queues: [DispatchQueue]
    private let free = DispatchSemaphore(value: limit)
    private let trouble = Trouble()

    /// - Parameter threads: 0 does all of it on the caller's own.
    init(threads: Int) { queues = (0..<threads).map { DispatchQueue(label: "belfry.messages.\($0)") } }

    var problem: String? { trouble.first.withLock(\.self) }

    func add(_ bytes: [UInt8], to intake: MessageIntake) {
        guard !queues.isEmpty else { return Self.take(bytes, intake, trouble) }
        free.wait()
        queues[intake.lane(of: queues.count)].async { [free, trouble] in
            Self.take(bytes, intake, trouble)
            free.signal()
        }
    }

    func wait() { for queue in queues { queue.sync {} } }

    private static func take(_ bytes: [UInt8], _ intake: MessageIntake, _ trouble: Trouble) {
        do {
            guard case .messages(_, let messages) = try StateCoder.decode(bytes) else {
                return trouble.note("a piece that is not what it begins as")
            }
            try intake.take(messages)
        } catch {
            trouble.note("\(error)")
        }
    }
}
