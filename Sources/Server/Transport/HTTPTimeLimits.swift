/// Time limits for the phases of an HTTP exchange, in milliseconds.
struct HTTPTimeLimits {
    /// For a request, from waiting for its first byte to receiving its last, and for each piece of a streamed body.
    var request: Int64
    /// Between two requests.
    var keepAlive: Int64
    /// For a whole upload, however steady its progress.
    var upload: Int64
    /// For the whole request body of a route.
    var routeBody: Int64
    /// For the peer to read one piece of a download.
    var downloadPiece: Int64
    /// The pause before reading more from a client that exceeded the rate for requests without credentials.
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
