import HTTPTypes

/// Identifies one state of a resource. RFC 9110 §8.8.3.
package struct EntityTag: Hashable, Sendable {
    /// Without the quotation marks.
    package let opaque: String
    package let isWeak: Bool

    /// - Parameter opaque: `etagc` characters: visible ones without the quotation mark. This is not checked, because
    ///   digests have no others, and a tag with others would only match nothing.
    package init(strong opaque: String) {
        self.opaque = opaque
        isWeak = false
    }

    private init(_ opaque: Substring.UTF8View, isWeak: Bool) {
        self.opaque = String(Substring(opaque))
        self.isWeak = isWeak
    }

    package var text: String { (isWeak ? "W/\"" : "\"") + opaque + "\"" }

    /// Weak comparison, for If-None-Match. RFC 9110 §8.8.3.2.
    package func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    /// Strong comparison: equal byte for byte, and neither is weak.
    package func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

    /// The value of If-Match or If-None-Match.
    package enum List: Equatable, Sendable {
        /// `*`: any current state.
        case any
        case tags([EntityTag])

        /// Parses `"*" / #entity-tag`; several fields count as one list. RFC 9110 §5.3, §13.1.
        ///
        /// - Returns: Nil without a field, and for an invalid list, which is ignored.
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

    /// Allows empty elements, such as between two commas. RFC 9110 §5.6.1.2.
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
    /// The response that a request's conditions call for, given this state.
    package enum Outcome: Equatable, Sendable {
        case send
        /// 304: the client has this state.
        case notModified
        /// 412: the client asked for another state.
        case preconditionFailed
    }

    /// Evaluates If-Match, then If-None-Match, for a GET or HEAD. Date conditions are ignored, because nothing here has
    /// a date. RFC 9110 §13.2.2.
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
