import ChatModel

/// Checks for free-form fields. Each refusal names the field and its limit.
enum FieldChecks {
    static func bytes(_ text: String?, _ field: String, atMost limit: Int) throws(Rejection) {
        guard let text, text.utf8.count > limit else { return }
        throw Rejection(.tooLong, "\(field): at most \(limit) bytes")
    }

    /// Checks a name shown to others: its length, and the absence of characters that could disguise it.
    static func name(_ text: String?, _ field: String, atMost limit: Int) throws(Rejection) {
        guard let text else { return }
        var count = 0
        for scalar in text.unicodeScalars {
            count += 1
            guard count <= limit else { throw Rejection(.tooLong, "\(field): at most \(limit) characters") }
            guard !scalar.isControl, !scalar.isBidirectionalControl else {
                throw Rejection(.invalidValue, "\(field): must not contain control characters")
            }
        }
    }

    /// Checks a URL that others will load: it must point to the web or to this server, so that it cannot run as a
    /// script in a page.
    static func url(_ text: String?, _ field: String) throws(Rejection) {
        guard let text else { return }
        try bytes(text, field, atMost: FieldLimits.urlBytes)
        guard text.hasPrefix("https://") || text.hasPrefix("http://") || text.hasPrefix("/") else {
            throw Rejection(.invalidValue, "\(field): must begin with https://, http:// or /")
        }
        try name(text, field, atMost: FieldLimits.urlBytes)
    }

    /// Checks a URL that the server itself requests.
    static func receiver(_ text: String, _ field: String) throws(Rejection) {
        try url(text, field)
        guard !text.hasPrefix("/"), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Rejection(.invalidValue, "\(field): must begin with https:// or http:// and be printable ASCII")
        }
    }

    /// Checks a secret that signs requests to the app.
    static func signingKey(_ secret: String, _ field: String) throws(Rejection) {
        try bytes(secret, field, atMost: FieldLimits.signingKeyBytes.upperBound)
        guard FieldLimits.signingKeyBytes.contains(secret.utf8.count) else {
            throw Rejection(
                .invalidValue, "\(field): must have at least \(FieldLimits.signingKeyBytes.lowerBound) bytes")
        }
    }

    static func sanction(_ seconds: Int64?, _ description: String?) throws(Rejection) {
        try bytes(description, "description", atMost: FieldLimits.descriptionBytes)
        if let seconds, !FieldLimits.sanctionSeconds.contains(seconds) {
            throw Rejection(.invalidValue, "seconds: must be 1 to \(FieldLimits.sanctionSeconds.upperBound)")
        }
    }

    static func ids(_ ids: [UserID]?, _ field: String) throws(Rejection) {
        guard let ids, ids.count > FieldLimits.idsPerCommand else { return }
        throw Rejection(.tooMany, "\(field): at most \(FieldLimits.idsPerCommand)")
    }

    static func metadata(_ metadata: [String: String]?) throws(Rejection) {
        guard let metadata else { return }
        guard metadata.count <= FieldLimits.metadataKeys else {
            throw Rejection(.tooMany, "metadata: at most \(FieldLimits.metadataKeys) keys")
        }
        for (key, value) in metadata {
            guard !key.isEmpty else { throw Rejection(.invalidValue, "metadata: keys must not be empty") }
            try bytes(key, "metadata key", atMost: FieldLimits.metadataKeyBytes)
            try bytes(value, "metadata value", atMost: FieldLimits.metadataValueBytes)
        }
    }

    static func size(_ size: Int?, _ field: String, _ range: ClosedRange<Int>) throws(Rejection) {
        guard let size, !range.contains(size) else { return }
        throw Rejection(.invalidValue, "\(field): must be \(range.lowerBound) to \(range.upperBound)")
    }
}

/// Compares bytes, not canonical equivalence, because texts are stored exactly as sent.
func isSameText(_ a: String?, _ b: String?) -> Bool {
    switch (a, b) {
    case (let a?, let b?): ByteOrder.areEqual(a, b)
    case (nil, nil): true
    default: false
    }
}

extension Array where Element: Hashable {
    /// Returns each element once, in the order of first appearance.
    func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
