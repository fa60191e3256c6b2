/// A large object that was removed from the state. Freeing it takes long, so the engine leaves that to another queue.
///
/// Created on the engine's queue, which does not access it afterwards; emptied on the queue that frees it.
package final class Remains: @unchecked Sendable {
    private var content: Any?

    init(_ content: Any) { self.content = content }

    package func free() { content = nil }
}
