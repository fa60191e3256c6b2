import ChatModel

/// A request that may change the chat.
package protocol Change: Request {
    /// Whether deciding and applying it takes far less than a millisecond in any state, so that a loop may do it.
    static var isBrief: Bool { get }
    /// Whether it needs a survey of all its user's channels. The engine makes it in earlier turns, so that the command
    /// itself stays short.
    static var surveysChannels: Bool { get }
    /// The events that the request results in. Changes nothing.
    func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision
    /// The answer, built from the state after the events.
    func response(from state: ChatState, _ context: Context, after records: [Record]) throws(Rejection) -> Response
}

extension Change {
    package static var isBrief: Bool { false }
    package static var surveysChannels: Bool { false }
}

/// A request that only reads.
package protocol Query: Request {
    /// The complete answer, however long it takes; for callers that own the state exclusively.
    func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response
    /// The answer, or the progress made towards it in one slice.
    func begin(in state: ChatState, _ context: Context) throws(Rejection) -> QueryStep<Response>
}

extension Query {
    package func begin(in state: ChatState, _ context: Context) throws(Rejection) -> QueryStep<Response> {
        .answered(try answer(from: state, context))
    }
}

/// The progress of a query.
package enum QueryStep<Response> {
    case answered(Response)
    /// The slice is over. The closure continues with the state as it is then.
    case unfinished((ChatState, Context) throws(Rejection) -> QueryStep<Response>)
}

/// A query that may examine more than one slice allows (`WorkMeter.slice`). Other commands run between its slices, so
/// the state may change in between; each slice checks again what the caller may see.
protocol SlicedQuery: Query {
    associatedtype Progress
    func start(in state: ChatState, _ context: Context) throws(Rejection) -> Progress
    /// - Returns: `nil` if the slice ends before there is an answer.
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

/// Holds the progress in one place: a copy captured by the closure would be copied on every write.
private final class ProgressBox<Progress> {
    var progress: Progress
    init(_ progress: Progress) { self.progress = progress }
}
