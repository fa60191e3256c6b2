import ChatDomain
import ChatEngine
import ChatModel
import Gateway

extension CommandTable.Declaration {
    /// `webhook.dead_letters`: read outside the chat's queue; the chat then sends the answer.
    static let deadLetters = CommandTable.Declaration(
        method: ListDeadLetters.method, callers: .server, scope: .admin, request: ListDeadLetters.self, isRead: true
    ) {
        (table, data, caller, mayActAs, address) throws(Rejection) in
        let request = try table.requests.decode(ListDeadLetters.self, from: data, mayActAs: mayActAs)
        let page = try request.page()
        let sendAnswer: @Sendable ([DeadLetter], UInt64?) -> Void = { [engine = table.engine] letters, next in
            let response = ListDeadLetters.Response(
                deadLetters: letters, next: next.map { ListDeadLetters.token(after: $0) })
            engine.query(
                HandOut(response, to: ListDeadLetters.self, of: request.id), as: caller, admitsNewcomer: false,
                answerTo: address)
        }
        guard let port = table.deadLetters else { return sendAnswer([], nil) }
        port.deadLetters(of: request.id, after: page.serial, limit: page.limit, sendAnswer)
    }

    /// `webhook.replay`
    static let replay = CommandTable.Declaration(
        method: ReplayDeadLetters.method, callers: .server, scope: .admin, request: ReplayDeadLetters.self,
        isRead: false
    ) {
        (table, data, caller, mayActAs, address) throws(Rejection) in
        let request = try table.requests.decode(ReplayDeadLetters.self, from: data, mayActAs: mayActAs)
        try request.checkFields()
        let sendAnswer: @Sendable (Int) -> Void = { [engine = table.engine] count in
            engine.query(
                HandOut(.init(replayed: count), to: ReplayDeadLetters.self, of: request.id), as: caller,
                admitsNewcomer: false, answerTo: address)
        }
        guard let port = table.deadLetters else { return sendAnswer(0) }
        port.replay(request.eventIDs, of: request.id, sendAnswer)
    }
}
