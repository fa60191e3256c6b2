import ChatModel
import Synchronization

/// The app's hook: a copy of the engine's state that every queue can read (`MO4`).
package final class CurrentHook: Sendable {
    private let current = Mutex<HookTarget?>(nil)
    private let flag = Atomic(false)

    package var isSet: Bool { flag.load(ordering: .relaxed) }
    package var target: HookTarget? { current.withLock(\.self) }

    func replace(_ target: HookTarget?) {
        current.withLock { $0 = target }
        flag.store(target != nil, ordering: .relaxed)
    }
}

/// What the app's hook says about a text.
package enum HookVerdict: Sendable, Equatable {
    case allow
    /// - Parameter reason: Shown to the user; may be empty.
    case refuse(reason: String)
    case replace(text: String)
    /// There was no valid answer in time.
    case failed
    /// The request was not sent, because too many are under way.
    case overloaded
}

/// Asks the app's hook. Call from any queue; must not block.
package protocol HookPort: Sendable {
    /// - Parameters:
    ///   - body: JSON.
    ///   - done: Called once, on any queue, at most a little later than the hook's timeout.
    func ask(_ target: HookTarget, _ body: [UInt8], _ done: @escaping @Sendable (HookVerdict) -> Void)
}
