/// What is left of something large after it was deleted. To free it takes long, so that the engine leaves it to someone
/// else.
///
/// Made on the engine's queue, which does not look into it any more; emptied on the queue of whoever frees it.
package final class Remains: @unchecked Sendable {
    private var content: Any?

    init(_ content: Any) { self.content = content }

    package func free() { content = nil }
}
