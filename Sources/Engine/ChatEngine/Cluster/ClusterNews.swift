import ChatDomain
import ChatModel
import Gateway

/// What nodes tell each other without the log.
package enum ClusterNews: Hashable, Sendable {
    /// A user's signal, such as typing.
    case signal(method: String, request: [UInt8], Caller)
    /// A message that is not stored (`CH5`).
    case event(TypedEvent, in: Room)
}
