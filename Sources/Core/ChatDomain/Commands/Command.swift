import ChatModel

/// A request that may change the chat.
package protocol Change: Request {
    /// Whether the command always takes far less than a millisecond, so that a loop may execute it.
    static var isBrief: Bool { get }
    /// Whether the command needs a survey of all its user's channels, which the engine makes in earlier turns.
    static var surveysChannels: Bool { get }
    /// Returns the events that result from the request. Changes nothing.
    func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision
    /// Returns the response, based on the state after the events.
    func response(from state: ChatState, _ context: Context, after records: [Record]) throws(Rejection) -> Response
}

extension Change {
    package static var isBrief: Bool { false }
    package static var surveysChannels: Bool { false }
}

/// A request that only reads.
package protocol Query: Request {
    /// Returns the complete response, however long it takes; for callers that own the state exclusively.
    func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response
    /// Returns the response, or the progress made in one slice.
    func begin(in state: ChatState, _ context: Context) throws(Rejection) -> QueryStep<Response>
}

extension Query {
    package func begin(in state: ChatState, _ context: Context) throws(Rejection) -> QueryStep<Response> {
        .answered(try answer(from: state, context))
    }
}

package enum QueryStep<Response> {
    case answered(Response)
    /// The slice is over. The closure continues with the state at the time of the call.
    case unfinished((ChatState, Context) throws(Rejection) -> QueryStep<Response>)
    /// The query needs what the search index finds. The closure continues with it.
    case lookup(SearchLookup, (SearchFindings, ChatState, Context) throws(Rejection) -> QueryStep<Response>)
}

/// A query that may need more than one slice (`WorkMeter.slice`). Other commands may change the state in between, so
/// each slice checks again what the caller may see.
protocol SlicedQuery: Query {
    associatedtype Progress
    func start(in state: ChatState, _ context: Context) throws(Rejection) -> Progress
    /// - Returns: The response; `nil` if the slice ends before there is one.
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

/// A shared box for the progress: a copy captured by the closure would be copied on every write.
private final class ProgressBox<Progress> {
    var progress: Progress
    init(_ progress: Progress) { self.progress = progress }
}
