import ChatDomain
import ChatEngine
import ChatModel
import Gateway
import WireProtocol

extension CommandTable {
    package enum Callers: Sendable {
        /// Users, authenticated by token or named by the backend in `as_user_id`.
        case users
        /// Server keys only.
        case server
        case anyone
        /// Unauthenticated HTTP clients, and server keys.
        case newcomers
    }

    /// Whether guests may call a command that is open to users. Guests can read public channels without an account, and
    /// write there if a setting allows it. The chat decides which channels these are and who moderates them.
    package enum GuestRight: Sendable {
        case never
        /// Commands that read, join or leave.
        case browsing
        /// Commands with effects visible to others; allowed only while `GuestSettings.canWrite`.
        case writing
    }

    /// A row of the table: a command and its permitted callers.
    package struct Declaration: Sendable {
        typealias Execute =
            @Sendable (CommandTable, ArraySlice<UInt8>, Caller, _ mayActAs: Bool, ReturnAddress) throws(Rejection)
            -> Void
        typealias Ask =
            @Sendable (
                CommandTable, ArraySlice<UInt8>, Caller, _ mayActAs: Bool, ReturnAddress,
                _ done: @escaping @Sendable () -> Void
            ) throws(Rejection) -> Void

        /// The RPC method; the HTTP equivalent is `POST /v1/<method>`.
        package let method: String
        package let callers: Callers
        /// Whether guests may call it.
        package let guests: GuestRight
        /// The scope that a server key needs.
        package let scope: KeyScope
        /// Carries out a user's command after the app's hook has decided about it (`MO4`), and then calls `done` once;
        /// nil for commands that it does not decide about.
        let ask: Ask?
        /// The request type, from which the server derives the schemas in `/openapi.json` and `/asyncapi.json`.
        package let request: any Request.Type
        /// Whether the command is read-only.
        package let isRead: Bool
        let execute: Execute

        package var path: String { "/v1/" + method }

        init(
            _ request: any Request.Type, _ callers: Callers, _ scope: KeyScope, guests: GuestRight = .never,
            isRead: Bool, ask: Ask? = nil, execute: @escaping Execute
        ) {
            method = request.method
            self.callers = callers
            self.guests = guests
            self.scope = scope
            self.request = request
            self.isRead = isRead
            self.ask = ask
            self.execute = execute
        }

        /// - Parameter usual: Decodes common requests without `Codable`.
        static func change<C: Change>(
            _ type: C.Type, _ callers: Callers, _ scope: KeyScope = .write, guests: GuestRight = .never,
            usual: @escaping UsualReader<C> = { _ in nil }
        ) -> Declaration {
            Declaration(
                type, callers, scope, guests: guests, isRead: false, execute: executing(type, usual: usual))
        }

        /// The same for a change that the app's hook decides about.
        static func hooked<C: HookedChange>(
            _ type: C.Type, _ callers: Callers, guests: GuestRight = .never,
            usual: @escaping UsualReader<C> = { _ in nil }
        ) -> Declaration {
            Declaration(
                type, callers, .write, guests: guests, isRead: false,
                ask: { (table, data, caller, mayActAs, address, done) throws(Rejection) in
                    let request = try table.requests.decode(type, from: data, mayActAs: mayActAs, usual: usual)
                    let command = HookedCommand(
                        request: request, caller: caller, admitsNewcomer: !mayActAs, bytes: data.count,
                        address: address)
                    table.hooks.decide(command, table.engine, done)
                }, execute: executing(type, usual: usual))
        }

        private static func executing<C: Change>(
            _ type: C.Type, usual: @escaping UsualReader<C>
        ) -> Execute {
            { (table, data, caller, mayActAs, address) throws(Rejection) in
                let request = try table.requests.decode(type, from: data, mayActAs: mayActAs, usual: usual)
                table.engine.change(
                    request, as: caller, admitsNewcomer: !mayActAs, bytes: data.count, answerTo: address)
            }
        }

        /// - Parameter usual: Decodes common requests without `Codable`.
        static func signal<S: Signal>(
            _ type: S.Type, _ callers: Callers, _ scope: KeyScope = .write, guests: GuestRight = .never,
            usual: @escaping UsualReader<S> = { _ in nil }
        ) -> Declaration {
            Declaration(type, callers, scope, guests: guests, isRead: false) {
                (table, data, caller, mayActAs, address) throws(Rejection) in
                let request = try table.requests.decode(type, from: data, mayActAs: mayActAs, usual: usual)
                table.engine.signal(request, as: caller, admitsNewcomer: !mayActAs, answerTo: address)
            }
        }

        static func query<Q: Query>(
            _ type: Q.Type, _ callers: Callers, _ scope: KeyScope = .read, guests: GuestRight = .never
        ) -> Declaration {
            Declaration(type, callers, scope, guests: guests, isRead: true) {
                (table, data, caller, mayActAs, address) throws(Rejection) in
                let request = try table.requests.decode(type, from: data, mayActAs: mayActAs)
                table.engine.query(request, as: caller, admitsNewcomer: !mayActAs, bytes: data.count, answerTo: address)
            }
        }

        /// Returns the caller that the command runs as: the sender, or the user whom a server key names.
        ///
        /// - Parameter sender: `nil` without credentials.
        /// - Throws: If the sender may not call the command.
        func caller(
            sentBy sender: Caller?, _ data: ArraySlice<UInt8>, _ settings: GuestSettings
        ) throws(Rejection) -> Caller {
            let caller: Caller
            switch sender {
            case .user(let user)?:
                guard callers != .server else { throw Rejection(.serverOnly) }
                guard callers != .newcomers else { throw Rejection(.permissionDenied) }
                caller = .user(user)
            case .server?:
                caller = try Self.callerNamed(in: data)
                if case .user = caller, callers == .server || callers == .newcomers {
                    throw Rejection(.badRequest, "as_user_id: not accepted by this command")
                }
                if caller == .server, callers == .users {
                    throw Rejection(.badRequest, "as_user_id is required with a server key")
                }
            case nil:
                guard callers == .newcomers else {
                    throw Rejection(.unauthorized, "Authorization: Bearer or X-API-Key is required")
                }
                caller = .server
            }
            if let user = caller.user, user.isGuest {
                guard guests == .browsing || settings.canWrite && guests == .writing else {
                    throw Rejection(.notForGuests)
                }
            }
            return caller
        }

        /// Returns the caller that a server key acts as.
        private static func callerNamed(in data: ArraySlice<UInt8>) throws(Rejection) -> Caller {
            guard !data.isEmpty else { return .server }
            let fields = try CommandDecoder.fields(data)
            guard fields.raw("as_user_id") != nil else { return .server }
            guard let text = try? fields.string("as_user_id"), let user = UserID(text) else {
                throw Rejection(
                    .invalidValue, "as_user_id: must be a user id: 1 to 80 characters, no control characters")
            }
            return .user(user)
        }
    }
}
