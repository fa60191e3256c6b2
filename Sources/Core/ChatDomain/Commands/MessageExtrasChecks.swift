import ChatModel

/// Checks for the fields of `MS2`. An empty list means the same as an absent one and is stored as absent.
enum MessageExtrasChecks {
    static func metaArrays(_ arrays: [String: [String]]?) throws(Rejection) {
        guard let arrays else { return }
        guard arrays.count <= FieldLimits.metaArrayKeys else {
            throw Rejection(.tooMany, "meta_arrays: at most \(FieldLimits.metaArrayKeys) keys")
        }
        var total = 0
        for (key, values) in arrays {
            guard !key.isEmpty else { throw Rejection(.invalidValue, "meta_arrays: keys must not be empty") }
            try FieldChecks.bytes(key, "meta_arrays key", atMost: FieldLimits.metaArrayKeyBytes)
            guard values.count <= FieldLimits.metaArrayValues else {
                throw Rejection(.tooMany, "meta_arrays: at most \(FieldLimits.metaArrayValues) values per key")
            }
            for value in values {
                try FieldChecks.bytes(value, "meta_arrays value", atMost: FieldLimits.metaArrayValueBytes)
            }
            total += values.reduce(key.utf8.count) { $0 + $1.utf8.count }
        }
        guard total <= FieldLimits.metaArrayBytes else {
            throw Rejection(.tooLong, "meta_arrays: at most \(FieldLimits.metaArrayBytes) bytes in total")
        }
    }

    static func targetLanguages(_ tags: [String]?) throws(Rejection) {
        guard let tags else { return }
        guard tags.count <= FieldLimits.targetLanguages else {
            throw Rejection(.tooMany, "target_languages: at most \(FieldLimits.targetLanguages)")
        }
        for tag in tags where !isLanguageTag(tag) {
            throw Rejection(.invalidValue, "target_languages: must be language tags such as en or pt-BR")
        }
    }

    /// Checks the form of BCP 47: letters, followed by groups of 1–8 letters and digits. The language need not exist.
    private static func isLanguageTag(_ tag: String) -> Bool {
        guard tag.utf8.count <= FieldLimits.languageTagBytes else { return false }
        let groups = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard let first = groups.first, (2...8).contains(first.count), first.allSatisfy(isLetter) else { return false }
        return groups.dropFirst().allSatisfy { group in
            (1...8).contains(group.count) && group.allSatisfy { isLetter($0) || isDigit($0) }
        }
    }

    static func criticalAlert(_ alert: CriticalAlert?) throws(Rejection) {
        guard let alert else { return }
        guard !alert.name.isEmpty else { throw Rejection(.invalidValue, "critical_alert.name: must not be empty") }
        try FieldChecks.name(alert.name, "critical_alert.name", atMost: FieldLimits.soundNameCodePoints)
        guard (0...1).contains(alert.volume) else {
            throw Rejection(.invalidValue, "critical_alert.volume: must be 0 to 1")
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

extension SendMessage {
    /// - Returns: `nil` if the message has no extras.
    func checkedExtras(
        _ kind: MessageKind, in state: ChatState, _ context: Context
    ) throws(Rejection) -> MessageExtras? {
        try MessageExtrasChecks.metaArrays(metaArrays)
        try MessageExtrasChecks.targetLanguages(targetLanguages)
        try MessageExtrasChecks.criticalAlert(criticalAlert)
        var extras = MessageExtras()
        extras.metaArrays = metaArrays.nilIfEmpty
        extras.targetLanguages = targetLanguages?.uniqued().nilIfEmpty
        extras.pushOption = pushOption == .suppress ? .suppress : nil
        extras.criticalAlert = criticalAlert
        (extras.files, extras.thumbnailSizes) = try checkedFiles(kind, in: state, context)
        return extras.nilIfEmpty
    }
}

extension UpdateMessage {
    /// Returns the changed extras: absent fields keep their values, empty ones are removed. The push settings cannot be
    /// changed.
    func changedExtras(_ old: MessageExtras?) throws(Rejection) -> MessageExtras? {
        try MessageExtrasChecks.metaArrays(metaArrays)
        try MessageExtrasChecks.targetLanguages(targetLanguages)
        var extras = old ?? MessageExtras()
        if let metaArrays { extras.metaArrays = metaArrays.nilIfEmpty }
        if let targetLanguages { extras.targetLanguages = targetLanguages.uniqued().nilIfEmpty }
        return extras.nilIfEmpty
    }
}

extension Collection {
    fileprivate var nilIfEmpty: Self? { isEmpty ? nil : self }
}

extension Optional where Wrapped: Collection {
    fileprivate var nilIfEmpty: Wrapped? { flatMap { $0.isEmpty ? nil : $0 } }
}
