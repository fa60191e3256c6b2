import HTTPTypes

/// Names one state of a resource. RFC 9110 §8.8.3.
package struct EntityTag: Hashable, Sendable {
    /// Without the quotation marks.
    package let opaque: String
    package let isWeak: Bool

    /// - Parameter opaque: Of `etagc`: visible characters without the quotation mark. Others come from no digest, and
    ///   would only make a tag that matches nothing.
    package init(strong opaque: String) {
        self.opaque = opaque
        isWeak = false
    }

    private init(_ opaque: Substring.UTF8View, isWeak: Bool) {
        self.opaque = String(Substring(opaque))
        self.isWeak = isWeak
    }

    package var text: String { (isWeak ? "W/\"" : "\"") + opaque + "\"" }

    /// Whether both are the same for a GET that is to be saved. RFC 9110 §8.8.3.2.
    package func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    /// Whether both are the same byte for byte; a weak one is the same as none.
    package func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

    /// What If-Match and If-None-Match hold.
    package enum List: Equatable, Sendable {
        /// `*`: whatever there is.
        case any
        case tags([EntityTag])

        /// Reads `"*" / #entity-tag`; several fields count as one list. RFC 9110 §5.3, §13.1.
        ///
        /// - Returns: Nil for no field and for one that is no such list, which is then as good as none.
        package init?(_ values: [String]) {
            guard !values.isEmpty else { return nil }
            let joined = values.joined(separator: ",")
            if joined.utf8.filter({ !EntityTag.isBlank($0) }).elementsEqual("*".utf8) {
                self = .any
                return
            }
            guard let tags = EntityTag.tags(of: joined.utf8[...]) else { return nil }
            self = .tags(tags)
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// Empty elements are allowed, as between two commas. RFC 9110 §5.6.1.2.
    private static func tags(of list: Substring.UTF8View) -> [EntityTag]? {
        var rest = list
        var tags: [EntityTag] = []
        while true {
            rest = rest.drop { isBlank($0) || $0 == UInt8(ascii: ",") }
            guard !rest.isEmpty else { return tags.isEmpty ? nil : tags }
            let isWeak = rest.starts(with: "W/".utf8)
            if isWeak { rest = rest.dropFirst(2) }
            guard rest.first == UInt8(ascii: "\"") else { return nil }
            let opaque = rest.dropFirst().prefix { $0 == 0x21 || $0 > 0x22 && $0 != 0x7F }
            rest = rest[opaque.endIndex...]
            guard rest.first == UInt8(ascii: "\"") else { return nil }
            tags.append(EntityTag(opaque, isWeak: isWeak))
            rest = rest.dropFirst().drop(while: isBlank)
            guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return nil }
        }
    }
}

extension EntityTag {
    /// What the conditions of a request ask for where the answer is to hold this state.
    package enum Outcome: Equatable, Sendable {
        case send
        /// 304: the client has it.
        case notModified
        /// 412: the client wants another one, or none.
        case preconditionFailed
    }

    /// Evaluates If-Match, then If-None-Match, of a GET or HEAD. RFC 9110 §13.2.2; nothing here has a date, so that
    /// those of dates are passed over.
    package func outcome(for fields: HTTPFields) -> Outcome {
        if let wanted = List(fields[values: .ifMatch]), case .tags(let tags) = wanted,
            !tags.contains(where: matchesStrongly)
        {
            return .preconditionFailed
        }
        switch List(fields[values: .ifNoneMatch]) {
        case .any: return .notModified
        case .tags(let tags) where tags.contains(where: matchesWeakly): return .notModified
        case .tags, nil: return .send
        }
    }
}
