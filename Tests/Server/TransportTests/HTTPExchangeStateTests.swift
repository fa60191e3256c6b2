import API
import ChatDomain
import ChatModel
import Testing

@testable import Transport

@Suite struct HTTPExchangeStateTests {
    private typealias State = HTTPExchangeState<String, String>

    private let target: UploadTarget

    init() throws { target = try UploadTarget(path: "/v1/files?channel_id=general&name=cat.png") }

    /// Returns the state of a connection accepted at 0.
    private func newConnection() -> State {
        let limits = HTTPTimeLimits(
            request: 10, keepAlive: 60, upload: 100, routeBody: 50, downloadPiece: 30, pause: 5)
        return State(limits, now: 0)
    }

    private func collecting() -> State {
        var state = newConnection()
        state.receiveHead()
        return state
    }

    private func answering(isBodyPending: Bool = false) -> State {
        var state = collecting()
        state.startAnswering(isBodyPending: isBodyPending)
        return state
    }

    /// Returns the state of an upload of at most 100 bytes, from 20 to 120.
    private func uploading() -> State {
        var state = answering(isBodyPending: true)
        state.awaitAdmission(to: target, by: .server)
        state.startUpload(into: "cat.png", limit: 100, now: 20)
        return state
    }

    /// Returns the state of a download that starts at 20.
    private func sending(bytes: Int64, closes: Bool = false) -> State {
        var state = answering()
        state.awaitLookup(of: nil)
        state.startDownload(of: "cat.png", bytes: bytes, closes: closes, now: 20)
        return state
    }

    /// Returns the state of a route with a body of at most 100 bytes, from 20 to 70.
    private func serving() -> State {
        var state = collecting()
        state.startServing("/hook", limit: 100, now: 20)
        return state
    }

    private func responded(at now: Int64, closes: Bool = false, hasInput: Bool = false) -> State {
        var state = answering()
        state.endResponse(closes: closes, hasInput: hasInput, now: now)
        return state
    }

    private func due(_ state: State, at now: Int64, hasRoom: Bool = true, hasInput: Bool = false) -> State.Due {
        var state = state
        return state.tick(now: now, hasRoom: hasRoom, hasInput: hasInput)
    }

    // MARK: The request

    @Test func `a new connection's first request is timed from the start, even if its bytes come later`() {
        var state = newConnection()
        #expect(state.acceptsInput && state.isReceiving && !state.isIdle)
        state.receiveBytes(now: 9)
        #expect(state.deadline(hasRoom: true) == 10)
        #expect(due(state, at: 9, hasInput: true) == .nothing)
        #expect(due(state, at: 10, hasInput: true) == .refuseSlowRequest)
        #expect(due(state, at: 10) == .closeUnused, "there is no request to answer")
    }

    @Test func `the keep-alive time runs between requests, and the first byte starts the request's`() {
        var state = responded(at: 100)
        #expect(state.isIdle && state.acceptsInput && state.isReceiving)
        #expect(due(state, at: 159) == .nothing)
        #expect(due(state, at: 160) == .closeUnused)
        state.receiveBytes(now: 159)
        state.receiveBytes(now: 165)
        #expect(!state.isIdle && state.deadline(hasRoom: true) == 169)
    }

    @Test func `a pipelined request is timed from the end of the response before it`() {
        let state = responded(at: 100, hasInput: true)
        #expect(!state.isIdle && state.deadline(hasRoom: true) == 110)
        #expect(due(state, at: 110, hasInput: true) == .refuseSlowRequest)
    }

    @Test func `a collected body shares the head's deadline and is then dispatched`() {
        var state = collecting()
        #expect(state.receiveBody(7) == .collect)
        #expect(state.acceptsInput && !state.isBodyPending)
        #expect(due(state, at: 9) == .nothing)
        #expect(due(state, at: 10) == .refuseSlowRequest, "even if nothing is buffered")
        #expect(state.endBody() == .dispatch)
    }

    @Test func `no deadline runs while a peer is not read from`() {
        for state in [newConnection(), responded(at: 0), collecting(), uploading(), serving()] {
            #expect(state.deadline(hasRoom: false) == nil)
            #expect(due(state, at: 1_000, hasRoom: false, hasInput: true) == .nothing)
        }
    }

    @Test func `the rest of an already answered request is ignored`() {
        for state in [responded(at: 0), responded(at: 0, hasInput: true), responded(at: 0, closes: true)] {
            var state = state
            #expect(state.receiveBody(7) == .ignore)
            #expect(state.endBody() == .ignore)
            #expect(state.resumeBody(now: 0) == false)
        }
    }

    // MARK: The answer

    @Test func `nothing is read and no deadline runs while an answer is pending`() {
        for state in [answering(), answering(isBodyPending: true)] {
            #expect(!state.acceptsInput && !state.isReceiving && state.deadline(hasRoom: true) == nil)
            #expect(state.isAwaiting(1) && state.awaitedAnswer(to: 1) == .command)
            #expect(due(state, at: 1_000, hasInput: true) == .nothing)
        }
    }

    @Test func `an answer reaches only the exchange waiting for it`() {
        var state = answering()
        #expect(!state.isAwaiting(0) && state.awaitedAnswer(to: 2) == nil)
        state.endResponse(closes: false, hasInput: false, now: 0)
        #expect(!state.isAwaiting(1) && state.awaitedAnswer(to: 1) == nil)
        state.receiveHead()
        #expect(!state.isAwaiting(1))
        state.startAnswering(isBodyPending: false)
        #expect(!state.isAwaiting(1) && state.awaitedAnswer(to: 1) == nil)
        #expect(state.isAwaiting(2) && state.awaitedAnswer(to: 2) == .command)
        state.endResponse(closes: false, hasInput: false, now: 0)
        state.startServing("/hook", limit: 1, now: 0)
        #expect(state.endBody() == .serve("/hook"))
        #expect(!state.isAwaiting(2) && state.awaitedAnswer(to: 3) == nil, "a route is no answer of the chat")
    }

    @Test func `the connection closes after a response to an upload whose body was not read`() {
        #expect(answering(isBodyPending: true).isBodyPending)
        #expect(!answering().isBodyPending)
        for isBodyPending in [true, false] {
            var state = answering(isBodyPending: isBodyPending)
            state.awaitAdmission(to: target, by: .server)
            #expect(state.isBodyPending == isBodyPending)
        }
    }

    @Test func `no further request is read after a response that closes the connection`() {
        var state = responded(at: 0, closes: true, hasInput: true)
        state.receiveBytes(now: 0)
        state.pause(now: 0)
        #expect(!state.acceptsInput && !state.isReceiving && !state.isAwaiting(1))
        #expect(state.deadline(hasRoom: true) == nil && due(state, at: 1_000, hasInput: true) == .nothing)
    }

    @Test func `reading from a client over its rate resumes after a pause`() {
        var state = responded(at: 100)
        state.pause(now: 100)
        state.receiveBytes(now: 101)
        #expect(!state.acceptsInput && state.isReceiving)
        #expect(state.deadline(hasRoom: false) == 105, "whatever the peer reads")
        #expect(due(state, at: 104, hasRoom: false) == .nothing)
        for (hasInput, end) in [(false, 165), (true, 115)] as [(Bool, Int64)] {
            var state = state
            #expect(state.tick(now: 105, hasRoom: false, hasInput: hasInput) == .resume)
            #expect(state.acceptsInput && state.deadline(hasRoom: true) == end)
        }
    }

    @Test func `a pause delays only the next request`() {
        for state in [answering(), collecting(), uploading(), serving(), sending(bytes: 1)] {
            var paused = state
            paused.pause(now: 0)
            #expect(paused.acceptsInput == state.acceptsInput)
            #expect(paused.deadline(hasRoom: true) == state.deadline(hasRoom: true))
        }
    }

    // MARK: Uploads

    @Test func `an admitted upload is read piece by piece, each once the previous one is written`() {
        var state = answering(isBodyPending: true)
        state.awaitAdmission(to: target, by: .server)
        #expect(state.awaitedAnswer(to: 1) == .admission && !state.acceptsInput)
        state.startUpload(into: "cat.png", limit: 100, now: 20)
        #expect(state.acceptsInput && state.isBodyPending && !state.isAwaiting(1))
        #expect(state.receiveBody(60) == .write("cat.png"))
        #expect(!state.acceptsInput && state.isBodyPending && state.isAwaiting(1))
        #expect(state.deadline(hasRoom: true) == nil && state.awaitedAnswer(to: 1) == nil)
        #expect(state.resumeBody(now: 25) == true)
        #expect(state.resumeBody(now: 25) == false)
        #expect(state.endBody() == .complete(State.Upload(file: "cat.png", target: target, caller: .server)))
        #expect(!state.acceptsInput && !state.isBodyPending && state.isAwaiting(1))
        state.awaitRegistration()
        #expect(state.awaitedAnswer(to: 1) == .registration("cat.png") && !state.isBodyPending)
    }

    @Test func `each piece of an upload has a deadline, and so does the whole upload`() {
        var state = uploading()
        #expect(due(state, at: 29) == .nothing)
        #expect(due(state, at: 30) == .refuseSlowRequest)
        for (now, end) in [(109, 119), (110, 120), (111, 120)] as [(Int64, Int64)] {
            #expect(state.receiveBody(1) == .write("cat.png"))
            #expect(state.resumeBody(now: now) == true)
            #expect(state.deadline(hasRoom: true) == end)
        }
        #expect(due(state, at: 120) == .refuseSlowRequest)
    }

    @Test func `an upload may be as large as the limit and not empty`() {
        var state = uploading()
        #expect(state.endBody() == .refuseEmptyUpload)
        #expect(!state.isBodyPending, "so the connection stays open")
        state = uploading()
        #expect(state.receiveBody(60) == .write("cat.png"))
        #expect(state.resumeBody(now: 20) == true)
        #expect(state.receiveBody(40) == .write("cat.png"))
        #expect(state.resumeBody(now: 20) == true)
        #expect(state.receiveBody(1) == .uploadTooLarge)
        #expect(state.isBodyPending)
    }

    @Test func `out-of-order steps change nothing`() {
        for state in [newConnection(), responded(at: 0), collecting()] {
            var changed = state
            changed.awaitAdmission(to: target, by: .server)
            changed.startUpload(into: "cat.png", limit: 100, now: 0)
            changed.awaitRegistration()
            changed.awaitLookup(of: nil)
            changed.startDownload(of: "cat.png", bytes: 1, closes: false, now: 0)
            #expect(changed.nextPiece(hasRoom: true) == nil && changed.receivePiece(1, now: 0) == nil)
            #expect(changed.acceptsInput && changed.deadline(hasRoom: true) == state.deadline(hasRoom: true))
        }
        var state = uploading()
        state.awaitRegistration()
        #expect(state.acceptsInput, "the body is not complete")
    }

    // MARK: Downloads

    @Test(arguments: [nil, ThumbnailSize(maxWidth: 200, maxHeight: 100)])
    func `the answer to a download lookup carries the requested size`(size: ThumbnailSize?) {
        var state = answering()
        state.awaitLookup(of: size)
        #expect(state.awaitedAnswer(to: 1) == .lookup(size))
        #expect(state.isAwaiting(1) && state.deadline(hasRoom: true) == nil)
    }

    @Test func `the next piece of a download is read from disk when the peer has read the previous one`() {
        var state = sending(bytes: 10, closes: true)
        #expect(state.nextPiece(hasRoom: false) == nil)
        #expect(state.nextPiece(hasRoom: true) == "cat.png")
        #expect(state.nextPiece(hasRoom: true) == nil, "one at a time")
        #expect(state.receivePiece(6, now: 25) == .more(count: 6))
        #expect(state.receivePiece(6, now: 25) == nil)
        #expect(state.isAwaiting(1) && !state.acceptsInput && state.awaitedAnswer(to: 1) == nil)
        #expect(state.nextPiece(hasRoom: true) == "cat.png")
        #expect(state.receivePiece(9, now: 30) == .last(count: 4, closes: true), "the file has grown")
    }

    @Test func `the last piece may fill the rest exactly, and a file that ends early breaks the response`() {
        var state = sending(bytes: 10)
        #expect(state.nextPiece(hasRoom: true) == "cat.png")
        #expect(state.receivePiece(10, now: 20) == .last(count: 10, closes: false))
        state = sending(bytes: 10)
        #expect(state.nextPiece(hasRoom: true) == "cat.png")
        #expect(state.receivePiece(9, now: 20) == .more(count: 9))
        #expect(state.nextPiece(hasRoom: true) == "cat.png")
        #expect(state.receivePiece(0, now: 20) == .tooShort)
    }

    @Test func `a peer has limited time to read each piece, and the disk's time does not count`() {
        var state = sending(bytes: 10)
        #expect(state.nextPiece(hasRoom: true) == "cat.png")
        #expect(state.deadline(hasRoom: true) == nil && due(state, at: 1_000) == .nothing)
        #expect(state.receivePiece(6, now: 1_000) == .more(count: 6))
        #expect(due(state, at: 1_029, hasRoom: false) == .nothing)
        #expect(state.tick(now: 1_030, hasRoom: false, hasInput: false) == .closeSlowDownload)
        #expect(!state.isAwaiting(1) && state.nextPiece(hasRoom: true) == nil)
    }

    // MARK: Routes

    @Test func `a route is offered the body until it has enough, and again when it wants more`() {
        var state = serving()
        #expect(state.route == "/hook" && state.acceptsInput && state.isBodyPending && !state.isRouteAnswering)
        #expect(state.receiveBody(60) == .offer("/hook"))
        #expect(!state.acceptsInput && !state.isReceiving && state.isBodyPending)
        #expect(due(state, at: 1_000) == .nothing)
        #expect(state.resumeBody(now: 25) == true)
        #expect(state.acceptsInput && state.deadline(hasRoom: true) == 35)
        #expect(state.receiveBody(40) == .offer("/hook"))
        #expect(state.resumeBody(now: 61) == true)
        #expect(due(state, at: 69) == .nothing)
        #expect(due(state, at: 70) == .refuseSlowRequest, "the time of the whole body")
        #expect(state.endBody() == .serve("/hook"))
        #expect(state.isRouteAnswering && !state.isBodyPending && !state.acceptsInput)
        #expect(state.resumeBody(now: 61) == false)
        #expect(due(state, at: 1_000, hasInput: true) == .nothing, "a handler has as long as it likes")
    }

    @Test func `a route's body may be as large as the limit`() {
        var state = serving()
        #expect(state.receiveBody(100) == .offer("/hook"))
        #expect(state.resumeBody(now: 20) == true)
        #expect(state.receiveBody(1) == .routeBodyTooLarge("/hook", limit: 100))
    }

    @Test func `an interrupted exchange ends and gives up its route`() {
        var state = serving()
        #expect(state.interrupt() == "/hook")
        #expect(state.route == nil && !state.acceptsInput && state.interrupt() == nil)
        for state in [newConnection(), collecting(), uploading()] {
            var state = state
            #expect(state.interrupt() == nil)
            #expect(!state.acceptsInput && !state.isReceiving && state.deadline(hasRoom: true) == nil)
        }
    }
}
