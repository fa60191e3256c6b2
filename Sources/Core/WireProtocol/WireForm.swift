/// The two forms of the Centrifuge client protocol, with the same commands, replies and pushes in different encodings.
///
/// Chat content (`data`) is JSON in both.
package enum WireForm: Sendable, CaseIterable {
    /// Objects in text messages, several per message separated by newlines.
    case json
    /// Length-prefixed messages of `client.proto` in binary messages.
    case protobuf
}
