import ChatDomain
import ChatEngine
import ChatModel
import Gateway

extension CommandTable.Declaration {
    /// `token.create`: the token is signed off the loops and the chat's queue; the chat then sends the answer.
    static let tokens = CommandTable.Declaration(
        method: CreateToken.method, callers: .server, scope: .admin, request: CreateToken.self, isRead: false
    ) {
        (table, data, caller, mayActAs, address) throws(Rejection) in
        let request = try table.requests.decode(CreateToken.self, from: data, mayActAs: mayActAs)
        let lifetime = try request.lifetime()
        let handOut: @Sendable (String?, Int64, Bool) -> Void = { [engine = table.engine] token, expiresAt, hasKey in
            engine.query(
                HandOutToken(userID: request.userID, token: token, expiresAt: expiresAt, hasKey: hasKey), as: caller,
                admitsNewcomer: false, answerTo: address)
        }
        guard let tokens = table.tokens, tokens.signs else { return handOut(nil, 0, false) }
        tokens.issue(for: request.userID, lifetimeSeconds: lifetime) { handOut($0, $1, true) }
    }
}
