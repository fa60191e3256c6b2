import ChatModel
import WireProtocol

/// A request that may change the chat.
package protocol Change: Request {
    /// The facts that the request comes to. Changes nothing.
    func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision
    /// The answer, drawn from the state after the facts.
    func response(from state: ChatState, _ context: Context, after records: [Record]) throws(Rejection) -> Response
}

/// A request that only looks.
package protocol Query: Request {
    func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response
}
