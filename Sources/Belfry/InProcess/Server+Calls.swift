import API
import ChatDomain
import ChatModel
import FoundationEssentials
import Gateway
import WireProtocol

extension Server {
    /// The identity that an in-process call uses.
    public struct Caller: Sendable, Equatable {
        /// `nil` for an invalid user id.
        let sender: ChatDomain.Caller?

        /// The app's backend, as if authenticated with its API key.
        public static let server = Caller(sender: .server)

        /// Returns a user, as if authenticated with a token. The first call creates a new user.
        public static func user(_ id: UserID) -> Caller { Caller(sender: .user(id)) }

        /// Returns the user with this name. Calls with an invalid user id (not 1–80 characters without controls) are
        /// refused with 1032.
        public static func user(_ name: String) -> Caller {
            Caller(sender: UserID(name).map { .user($0) })
        }
    }

    /// Executes a protocol command without a socket: `message.send` is `SendMessage`, and so on.
    ///
    ///     let sent = try await server.call(SendMessage(channelID: general, text: "hello"), as: .user("ann"))
    ///
    /// The rules are the same as over HTTP, except that a user's rate limits do not apply. When this method returns,
    /// the change is durable. Cancelling the task does not cancel the command: the call still waits for the answer,
    /// which always arrives.
    ///
    /// - Throws: The chat's rejection, with its code; 111 when `Configuration.maxConcurrentCalls` are in progress, 1040
    ///   when the server has stopped, and 1041 when it stops before the outcome is known.
    public func call<Command: Request>(
        _ command: Command, as caller: Caller
    ) async throws(Rejection) -> Command.Response {
        guard let sender = caller.sender else {
            throw Rejection(.invalidValue, "the caller must be a user id: 1 to 80 characters, no control characters")
        }
        // Encode to JSON, because the field rules apply to JSON; a value that JSON cannot represent is not a valid
        // command.
        guard let data = try? JSONEncoder().encode(command) else {
            throw Rejection(.badRequest, "a number cannot be represented in JSON")
        }
        let limit = configuration.limits.connection.http.bodyBytes
        guard data.count <= limit else { throw Rejection(.tooLong, "the command is larger than \(limit) bytes") }
        let commands = services.chat.commands
        let answer = await calls.call { (address) throws(Rejection) in
            try commands.start(Command.method, Array(data)[...], by: sender, answerTo: address)
        }
        guard let response = try answer.get() as? Command.Response else { throw Rejection(.internal) }
        return response
    }
}
