import ChatModel

/// Checks of free-form fields; each refusal names the field and its limit.
enum FieldChecks {
    static func bytes(_ text: String?, _ field: String, atMost limit: Int) throws(Rejection) {
        guard let text, text.utf8.count > limit else { return }
        throw Rejection(.tooLong, "\(field): at most \(limit) bytes")
    }

    /// A name shown to others: bounded, and without characters that disguise it.
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

    /// A URL that others will load: on the web or on this server, and nothing that a page would execute.
    static func url(_ text: String?, _ field: String) throws(Rejection) {
        guard let text else { return }
        try bytes(text, field, atMost: FieldLimits.urlBytes)
        guard text.hasPrefix("https://") || text.hasPrefix("http://") || text.hasPrefix("/") else {
            throw Rejection(.invalidValue, "\(field): must begin with https://, http:// or /")
        }
        try name(text, field, atMost: FieldLimits.urlBytes)
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

/// Compares bytes, not canonical equivalence: a text is kept exactly as it was sent.
func isSameText(_ a: String?, _ b: String?) -> Bool {
    switch (a, b) {
    case (let a?, let b?): ByteOrder.areSame(a, b)
    case (nil, nil): true
    default: false
    }
}

extension Array where Element: Hashable {
    /// Each element once, in order of first appearance.
    func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
