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
    /// The whole answer, however long it takes; for those who have the state to themselves.
    func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response
    /// The answer, or as much of the way to it as fits into a slice.
    func begin(in state: ChatState, _ context: Context) throws(Rejection) -> QueryStep<Response>
}

extension Query {
    package func begin(in state: ChatState, _ context: Context) throws(Rejection) -> QueryStep<Response> {
        .answered(try answer(from: state, context))
    }
}

/// How far a query has come.
package enum QueryStep<Response> {
    case answered(Response)
    /// The slice is over. Goes on with the state as it is by then.
    case unfinished((ChatState, Context) throws(Rejection) -> QueryStep<Response>)
}

/// A query that may look at more than one slice allows (`WorkMeter.slice`). Others have their turns between its slices, so
/// the state may change meanwhile; each slice checks anew what the asker may see.
protocol SlicedQuery: Query {
    associatedtype Progress
    func start(in state: ChatState, _ context: Context) throws(Rejection) -> Progress
    /// - Returns: `nil` when the slice is over before there is an answer.
    func advance(
        _ progress: inout Progress, in state: ChatState, _ context: Context
    ) throws(Rejection) -> Response?
}

extension SlicedQuery {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        var progress = try start(in: state, context)
        while true {
            if let response = try advance(&progress, in: state, context) { return response }
            context.work.beginSlice()
        }
    }

    package func begin(in state: ChatState, _ context: Context) throws(Rejection) -> QueryStep<Response> {
        try step(ProgressBox(try start(in: state, context)), in: state, context)
    }

    private func step(
        _ box: ProgressBox<Progress>, in state: ChatState, _ context: Context
    ) throws(Rejection) -> QueryStep<Response> {
        if let response = try advance(&box.progress, in: state, context) { return .answered(response) }
        return .unfinished { (state, context) throws(Rejection) in try step(box, in: state, context) }
    }
}

/// Holds the progress in one place: a closure's own copy would be copied on every write.
private final class ProgressBox<Progress> {
    var progress: Progress
    init(_ progress: Progress) { self.progress = progress }
}
