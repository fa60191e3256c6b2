/// The two forms of the Centrifuge client protocol: the same commands, replies and pushes, written differently.
///
/// What the chat says (`data`) is JSON in both.
package enum WireForm: Sendable, CaseIterable {
    /// Objects in text messages, several in one separated by newlines.
    case json
    /// Messages of `client.proto` in binary messages, each behind its length.
    case protobuf
}
