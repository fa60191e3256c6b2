import API
import HTTPCodec
import HTTPTypes
import Page

/// Serves the web client's files to everyone, without a token, and on the admin listener the console's.
extension HTTPHandler {
    /// - Returns: False when the page has no file at that path.
    func answerPage(_ head: RequestHead) -> Bool {
        guard let file = pageFile(head.request.path) else { return false }
        guard head.request.method == .get || head.request.method == .head else {
            var answer = HTTPAnswer.text(.methodNotAllowed, "method not allowed: use GET or HEAD\n")
            answer.response.headerFields[.allow] = "GET, HEAD"
            respond(answer)
            return true
        }
        switch file.entityTag.outcome(for: head.request.headerFields) {
        case .preconditionFailed: respond(.text(.preconditionFailed, "If-Match names another version of the file\n"))
        case .notModified:
            let answer = HTTPAnswer(page: file, .notModified)
            respond(answer)
        case .send: send(file)
        }
        return true
    }

    func isPageFile(_ path: String?) -> Bool { pageFile(path) != nil }

    private func pageFile(_ path: String?) -> PageFile? {
        let files = connection.entrance == .admin ? services.content.console : services.content.page
        return files?[(path ?? "").prefix { $0 != "?" }]
    }

    private func send(_ file: PageFile) {
        var answer = HTTPAnswer(page: file, .ok)
        answer.body = file.bytes
        respondSharing(answer)
    }
}

extension HTTPAnswer {
    /// Makes a response for a file of the page, with headers that prevent user content from running as code.
    fileprivate init(page file: PageFile, _ status: HTTPResponse.Status) {
        self.init(status, file.mediaType, body: [])
        // 304 does not describe the content the client already has. RFC 9110 §15.4.5.
        if status == .notModified { response.headerFields[.contentType] = nil }
        // A year means forever. RFC 8246.
        response.headerFields[.cacheControl] = file.isImmutable ? "max-age=31536000, immutable" : "no-cache"
        response.headerFields[.eTag] = file.entityTag.text
        response.headerFields[.contentSecurityPolicy] = PagePolicy.text
        response.headerFields[.referrerPolicy] = "no-referrer"
        response.headerFields[.crossOriginOpenerPolicy] = "same-origin"
    }
}
