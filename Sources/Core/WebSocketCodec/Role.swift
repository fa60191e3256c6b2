/// The end of the connection that reads the bytes: clients mask every frame, servers mask none. RFC 6455 §5.1.
package enum Role: Hashable, Sendable {
    /// Expects masked frames.
    case server
    /// Expects unmasked frames.
    case client
}
