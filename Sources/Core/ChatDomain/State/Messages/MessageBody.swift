import ChatModel

/// The content of a message, which no count, order or permission depends on.
package struct MessageBody: Equatable, Sendable {
    package var text = ""
    /// The id that the sender chose. A deleted message keeps it.
    package var clientID: String?
    package var data: String?
    package var extras: MessageExtras?

    package init(text: String = "", clientID: String? = nil, data: String? = nil, extras: MessageExtras? = nil) {
        self.text = text
        self.clientID = clientID
        self.data = data
        self.extras = extras
    }
}
