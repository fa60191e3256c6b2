import HTTPTypes

/// An entity tag, which identifies one state of a resource. RFC 9110 §8.8.3.
package struct EntityTag: Hashable, Sendable {
    /// The tag without its quotation marks.
    package let opaque: String
    package let isWeak: Bool

    /// - Parameter opaque: Visible characters except the quotation mark (`etagc`). Not checked: digests contain no
    ///   others, and an invalid tag would simply never match.
    package init(strong opaque: String) {
        self.opaque = opaque
        isWeak = false
    }

    private init(_ opaque: Substring.UTF8View, isWeak: Bool) {
        self.opaque = String(Substring(opaque))
        self.isWeak = isWeak
    }

    package var text: String { (isWeak ? "W/\"" : "\"") + opaque + "\"" }

    /// Compares weakly, as If-None-Match does. RFC 9110 §8.8.3.2.
    package func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    /// Compares strongly: the tags must be equal, and neither weak.
    package func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

    /// The value of If-Match or If-None-Match.
    package enum List: Equatable, Sendable {
        /// `*`, which matches any current state.
        case any
        case tags([EntityTag])

        /// Parses `"*" / #entity-tag`. Multiple fields form one list. RFC 9110 §5.3, §13.1.
        ///
        /// - Returns: Nil if there is no field or the list is invalid; invalid lists are ignored.
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

    /// Parses a list, which may contain empty elements. RFC 9110 §5.6.1.2.
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
    /// The result of a request's conditions for the current state.
    package enum Outcome: Equatable, Sendable {
        case send
        /// The client already has this state: 304.
        case notModified
        /// The client requires a different state: 412.
        case preconditionFailed
    }

    /// Evaluates If-Match, then If-None-Match, for a GET or HEAD request. Date conditions are ignored, because Belfry's
    /// resources have no modification dates. RFC 9110 §13.2.2.
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
