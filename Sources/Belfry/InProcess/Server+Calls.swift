import API
import ChatModel
import FoundationEssentials
import Gateway
import WireProtocol

extension Server {
    /// For whom a call from inside the process is made.
    public struct Caller: Sendable, Equatable {
        enum Kind: Equatable {
            case server
            case user(UserID)
            case nobody
        }
        let kind: Kind

        /// The app's backend, as with its key.
        public static let server = Caller(kind: .server)

        /// A user, as with the user's token; who is new begins to exist.
        public static func user(_ id: UserID) -> Caller { Caller(kind: .user(id)) }

        /// The same by name. A call for a text that is no user id (1–80 characters, no controls) is refused with 1032.
        public static func user(_ name: String) -> Caller {
            Caller(kind: UserID(name).map(Kind.user) ?? .nobody)
        }
    }

    /// Carries out a command of the protocol without a socket: `message.send` is `SendMessage`, and so on.
    ///
    ///     let sent = try await server.call(SendMessage(channelID: general, text: "hello"), as: .user("ann"))
    ///
    /// The same rules hold as over HTTP, except for the rates of a user; what is answered is durable. Cancelling the task
    /// does not take a call back: the answer is awaited all the same, and always comes.
    ///
    /// - Throws: What the chat refuses, by its code; 111 when `Configuration.callsAtOnce` are under way, 1040 when the
    ///   server has stopped, and 1041 when it stops before it is known what became of the call.
    public func call<Command: Request>(
        _ command: Command, as caller: Caller
    ) async throws(Rejection) -> Command.Response {
        let authority: CommandTable.Authority
        switch caller.kind {
        case .server: authority = .server
        case .user(let user): authority = .user(user)
        case .nobody: throw Rejection(.invalidValue, "a user id: 1-80 characters, no controls")
        }
        // By way of JSON, for that is where the rules of the fields are; what JSON cannot say is no command.
        guard let data = try? JSONEncoder().encode(command) else {
            throw Rejection(.badRequest, "a number that JSON cannot say")
        }
        let limit = configuration.limits.connection.http.bodyBytes
        guard data.count <= limit else { throw Rejection(.tooLong, "more than \(limit) bytes") }
        let commands = services.commands
        let answer = await calls.call { (address) throws(Rejection) in
            try commands.start(Command.method, Array(data)[...], by: authority, answerTo: address)
        }
        guard let response = try answer.get() as? Command.Response else { throw Rejection(.internal) }
        return response
    }
}
