import API
import ChatDomain
import ChatModel

/// The phase of an HTTP connection's current exchange, and its deadline.
///
/// Pure: the handler reports each input and carries out the result. `now` is in milliseconds of the loop's clock. The
/// state only carries `File` and `Route` along, so tests need neither a disk nor tasks.
struct HTTPExchangeState<File, Route> {
    private enum Phase {
        /// Waits for the first byte of a request.
        case idle(until: Int64)
        /// Receives a head. A new connection starts here, so its first request is timed from the start.
        case receivingHead(until: Int64)
        /// Reads nothing, because the client exceeded the rate for requests without credentials.
        case paused(until: Int64)
        /// Collects the body of a request that is dispatched once it is complete.
        case collectingBody(until: Int64)
        /// Waits for the token verifier or the chat.
        case answering(isBodyPending: Bool)
        /// Waits for the chat to permit the upload, and then for the file to be created. The body is not read until
        /// then.
        case admitting(UploadTarget, Caller, isBodyPending: Bool)
        case uploading(Upload, PassedBody)
        case registering(File)
        /// Waits for permission to read the file or its thumbnail, and then opens it.
        case finding(ThumbnailSize?)
        case sending(Download)
        case serving(Route, PassedBody)
        /// The connection handles no further requests.
        case ended
    }

    struct Upload {
        let file: File
        let target: UploadTarget
        let caller: Caller
    }

    private struct Download {
        let file: File
        /// Bytes still to be read from disk and sent.
        var rest: Int64
        let closes: Bool
        /// When the next piece started waiting for the peer to read the previous one; nil while it is being read from
        /// disk.
        var waitingSince: Int64?
    }

    private let limits: HTTPTimeLimits
    private var phase: Phase
    /// Numbers the exchanges that wait for an answer, so that a late answer cannot reach a later exchange.
    private(set) var number: UInt32 = 0

    init(_ limits: HTTPTimeLimits, now: Int64) {
        self.limits = limits
        phase = .receivingHead(until: now + limits.request)
    }

    // MARK: The request

    /// Whether the next byte begins a request.
    var isIdle: Bool { if case .idle = phase { true } else { false } }

    mutating func receiveBytes(now: Int64) {
        if isIdle { phase = .receivingHead(until: now + limits.request) }
    }

    /// Records a complete head. Its body shares the head's deadline.
    mutating func receiveHead() {
        switch phase {
        case .idle(let end), .receivingHead(let end): phase = .collectingBody(until: end)
        default: break
        }
    }

    enum BodyPiece {
        case collect
        /// Write the piece to this file, then call `resumeBody`.
        case write(File)
        /// Offer the piece to this route, then call `resumeBody` if it wants more.
        case offer(Route)
        case uploadTooLarge
        case routeBodyTooLarge(Route, limit: Int)
        /// The request has already been answered.
        case ignore
    }

    mutating func receiveBody(_ count: Int) -> BodyPiece {
        switch phase {
        case .collectingBody: return .collect
        case .uploading(let upload, var body):
            guard body.receive(count) else { return .uploadTooLarge }
            phase = .uploading(upload, body)
            return .write(upload.file)
        case .serving(let route, var body):
            guard body.receive(count) else { return .routeBodyTooLarge(route, limit: body.limit) }
            phase = .serving(route, body)
            return .offer(route)
        default: return .ignore
        }
    }

    /// Resumes reading the body, because the piece was written or its reader wants more.
    ///
    /// - Returns: False when no body is paused.
    @discardableResult
    mutating func resumeBody(now: Int64) -> Bool {
        switch phase {
        case .uploading(let upload, var body):
            guard body.resume(nextPieceBy: now + limits.request) else { return false }
            phase = .uploading(upload, body)
        case .serving(let route, var body):
            guard body.resume(nextPieceBy: now + limits.request) else { return false }
            phase = .serving(route, body)
        default: return false
        }
        return true
    }

    enum BodyEnd {
        case dispatch
        case complete(Upload)
        case refuseEmptyUpload
        case serve(Route)
        /// The request has already been answered.
        case ignore
    }

    mutating func endBody() -> BodyEnd {
        switch phase {
        case .collectingBody: return .dispatch
        case .uploading(let upload, var body):
            body.complete()
            phase = .uploading(upload, body)
            return body.received > 0 ? .complete(upload) : .refuseEmptyUpload
        case .serving(let route, var body):
            body.complete()
            phase = .serving(route, body)
            return .serve(route)
        default: return .ignore
        }
    }

    /// Whether the connection may read more.
    var acceptsInput: Bool { inputDeadline != nil }

    /// Whether the connection is receiving a request or waiting for the next one.
    var isReceiving: Bool { if case .paused = phase { true } else { acceptsInput } }

    /// Whether body bytes are still to come. If a response does not wait for them, the connection closes after it.
    var isBodyPending: Bool {
        switch phase {
        case .answering(let isBodyPending), .admitting(_, _, let isBodyPending): isBodyPending
        case .uploading(_, let body), .serving(_, let body): !body.isComplete
        case .idle, .receivingHead, .paused, .collectingBody, .registering, .finding, .sending, .ended: false
        }
    }

    // MARK: The answer

    /// Starts waiting for the token verifier and then possibly the chat.
    mutating func startAnswering(isBodyPending: Bool) {
        number &+= 1
        phase = .answering(isBodyPending: isBodyPending)
    }

    /// Returns whether that exchange still waits for an answer or for a step of its transfer.
    func isAwaiting(_ number: UInt32) -> Bool {
        if case .ended = phase { return false }
        return number == self.number && !isReceiving
    }

    enum AwaitedAnswer {
        case command
        case admission
        case registration(File)
        case lookup(ThumbnailSize?)
    }

    /// Returns the purpose of the chat's answer to an exchange, or nil when that exchange is over.
    func awaitedAnswer(to number: UInt32) -> AwaitedAnswer? {
        guard number == self.number else { return nil }
        return switch phase {
        case .answering: .command
        case .admitting: .admission
        case .registering(let file): .registration(file)
        case .finding(let size): .lookup(size)
        case .idle, .receivingHead, .paused, .collectingBody, .uploading, .sending, .serving, .ended: nil
        }
    }

    /// Ends the exchange after its response is complete.
    ///
    /// - Parameter hasInput: Whether bytes of the next request have already arrived.
    mutating func endResponse(closes: Bool, hasInput: Bool, now: Int64) {
        if closes { phase = .ended } else { awaitRequest(hasInput: hasInput, now: now) }
    }

    private mutating func awaitRequest(hasInput: Bool, now: Int64) {
        phase = hasInput ? .receivingHead(until: now + limits.request) : .idle(until: now + limits.keepAlive)
    }

    /// Delays the next request.
    mutating func pause(now: Int64) {
        switch phase {
        case .idle, .receivingHead: phase = .paused(until: now + limits.pause)
        default: break
        }
    }

    /// Ends the exchange before its answer.
    ///
    /// - Returns: The route that was serving it.
    mutating func interrupt() -> Route? {
        defer { phase = .ended }
        return route
    }

    // MARK: Files

    /// Starts waiting for the chat to permit the upload.
    mutating func awaitAdmission(to target: UploadTarget, by caller: Caller) {
        guard case .answering(let isBodyPending) = phase else { return }
        phase = .admitting(target, caller, isBodyPending: isBodyPending)
    }

    /// Starts receiving the body into the new file.
    ///
    /// - Parameter limit: The size of the largest accepted file in bytes.
    mutating func startUpload(into file: File, limit: Int, now: Int64) {
        guard case .admitting(let target, let caller, _) = phase else { return }
        let upload = Upload(file: file, target: target, caller: caller)
        let body = PassedBody(limit: limit, end: now + limits.upload, firstPieceBy: now + limits.request)
        phase = .uploading(upload, body)
    }

    /// Starts waiting for the chat to register the complete file.
    mutating func awaitRegistration() {
        guard case .uploading(let upload, let body) = phase, body.isComplete else { return }
        phase = .registering(upload.file)
    }

    /// Starts waiting for the chat to permit the download.
    mutating func awaitLookup(of size: ThumbnailSize?) {
        guard case .answering = phase else { return }
        phase = .finding(size)
    }

    /// Starts sending the file, after the head of the response.
    ///
    /// - Parameter closes: Whether the connection closes after the response.
    mutating func startDownload(of file: File, bytes: Int64, closes: Bool, now: Int64) {
        guard case .finding = phase else { return }
        phase = .sending(Download(file: file, rest: bytes, closes: closes, waitingSince: now))
    }

    /// - Parameter hasRoom: Whether the peer has read enough of the previous output.
    /// - Returns: The file to read the next piece from; nil while a piece is being read or waits for the peer.
    mutating func nextPiece(hasRoom: Bool) -> File? {
        guard hasRoom, case .sending(var download) = phase, download.waitingSince != nil else { return nil }
        download.waitingSince = nil
        phase = .sending(download)
        return download.file
    }

    enum FilePiece: Equatable {
        case more(count: Int)
        case last(count: Int, closes: Bool)
        /// The file is shorter than the announced length, which breaks the response.
        case tooShort
    }

    /// Records a piece read from disk.
    ///
    /// - Returns: How many of its bytes to send; nil when no piece was being read.
    mutating func receivePiece(_ count: Int, now: Int64) -> FilePiece? {
        guard case .sending(var download) = phase, download.waitingSince == nil else { return nil }
        let count = min(count, Int(clamping: download.rest))
        guard count > 0 else { return .tooShort }
        download.rest -= Int64(count)
        guard download.rest > 0 else { return .last(count: count, closes: download.closes) }
        download.waitingSince = now
        phase = .sending(download)
        return .more(count: count)
    }

    // MARK: Routes

    /// Starts passing the body to the host's handler.
    ///
    /// - Parameter limit: The size of the largest accepted body in bytes.
    mutating func startServing(_ route: Route, limit: Int, now: Int64) {
        number &+= 1
        let body = PassedBody(limit: limit, end: now + limits.routeBody, firstPieceBy: now + limits.request)
        phase = .serving(route, body)
    }

    var route: Route? { if case .serving(let route, _) = phase { route } else { nil } }

    /// Whether a route has received the whole request, so that further bytes belong to the next one.
    var isRouteAnswering: Bool { route != nil && !isBodyPending }

    // MARK: Time

    /// The deadline for more input; nil when none is awaited.
    private var inputDeadline: Int64? {
        switch phase {
        case .idle(let end), .receivingHead(let end), .collectingBody(let end): end
        case .uploading(_, let body), .serving(_, let body): body.deadline
        case .paused, .answering, .admitting, .registering, .finding, .sending, .ended: nil
        }
    }

    /// Returns when to call `tick`, or nil when there is no deadline.
    ///
    /// - Parameter hasRoom: Whether the peer has read enough to receive more answers. If not, the connection does not
    ///   read from it.
    func deadline(hasRoom: Bool) -> Int64? {
        switch phase {
        case .paused(let end): end
        case .sending(let download): download.waitingSince.map { $0 + limits.downloadPiece }
        default: hasRoom ? inputDeadline : nil
        }
    }

    enum Due {
        case nothing
        case resume
        case closeUnused
        case refuseSlowRequest
        case closeSlowDownload
    }

    /// - Parameter hasInput: Whether part of a head has arrived.
    mutating func tick(now: Int64, hasRoom: Bool, hasInput: Bool) -> Due {
        guard let end = deadline(hasRoom: hasRoom), now >= end else { return .nothing }
        switch phase {
        case .paused:
            awaitRequest(hasInput: hasInput, now: now)
            return .resume
        case .sending:
            phase = .ended
            return .closeSlowDownload
        case .idle, .receivingHead: return hasInput ? .refuseSlowRequest : .closeUnused
        case .collectingBody, .uploading, .serving: return .refuseSlowRequest
        case .answering, .admitting, .registering, .finding, .ended: return .nothing
        }
    }
}

extension HTTPExchangeState.Upload: Equatable where File: Equatable {}
extension HTTPExchangeState.BodyPiece: Equatable where File: Equatable, Route: Equatable {}
extension HTTPExchangeState.BodyEnd: Equatable where File: Equatable, Route: Equatable {}
extension HTTPExchangeState.AwaitedAnswer: Equatable where File: Equatable {}
