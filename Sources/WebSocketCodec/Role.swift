/// Which end of the connection reads the bytes. RFC 6455 §5.1: clients mask every frame, servers none.
package enum Role: Hashable, Sendable {
    /// Expects masked frames.
    case server
    /// Expects frames without a mask.
    case client
}
