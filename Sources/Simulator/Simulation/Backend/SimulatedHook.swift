import ChatDomain
import ChatEngine
import ChatModel
import Journal

/// The app's hook (`MO4`), which answers a little later and decides by the bytes of the question. It never replaces a text,
/// because other checks compare texts.
final class SimulatedHook: HookPort {
    private let queue: HeldQueue

    /// - Parameter queue: Runs the answers.
    init(_ queue: HeldQueue) { self.queue = queue }

    func ask(_ target: HookTarget, _ body: [UInt8], _ done: @escaping @Sendable (HookVerdict) -> Void) {
        let verdict: HookVerdict =
            switch body.reduce(0, { ($0 &* 31 &+ Int($1)) & 0xFFFF }) % 16 {
            case 0: .refuse(reason: "")
            case 1: .failed
            case 2: .overloaded
            default: .allow
            }
        queue.async { done(verdict) }
    }
}
