/// How long an HTTP connection may stay in a phase of an exchange, in milliseconds.
struct HTTPTimeLimits {
    /// For a request, from the first byte awaited to the last, and for each piece of a body that is passed on.
    var request: Int64
    /// Between two requests.
    var keepAlive: Int64
    /// For all of an upload, however steady its progress.
    var upload: Int64
    /// For all of a route's request body.
    var routeBody: Int64
    /// For the peer to read one piece of a download.
    var downloadPiece: Int64
    /// Before more is read from a client without credentials that has exceeded its rate.
    var pause: Int64
}

extension HTTPTimeLimits {
    init(_ limits: ConnectionLimits, _ files: FileStore.Limits) {
        request = limits.requestMilliseconds
        keepAlive = limits.keepAliveMilliseconds
        upload = files.uploadMilliseconds
        routeBody = limits.routes.bodyMilliseconds
        downloadPiece = files.pieceMilliseconds
        pause = limits.session.pauseMilliseconds
    }
}
