/// The members of a JSON object, accessed by name and type. `null` counts as absent.
///
/// Values are parsed only when requested, and names are compared in place.
package struct JSONFields {
    private let text: ArraySlice<UInt8>
    private let members: MemberTable
    /// Whether unread strings may contain lone surrogates.
    private let allowsLoneSurrogates: Bool

    /// - Throws: `JSONSyntaxError` if the bytes are not exactly one object, or the object has duplicate keys.
    package init(_ bytes: ArraySlice<UInt8>) throws(JSONSyntaxError) {
        try self.init(bytes, allowsLoneSurrogates: false)
    }

    /// - Parameter memberLimit: The maximum number of members. Reading stops at the first one beyond it.
    init(_ bytes: ArraySlice<UInt8>, memberLimit: Int) throws(JSONSyntaxError) {
        try self.init(bytes, allowsLoneSurrogates: false, memberLimit: memberLimit)
    }

    private init(
        _ bytes: ArraySlice<UInt8>, allowsLoneSurrogates: Bool, memberLimit: Int = JSONScanner.memberLimit
    ) throws(JSONSyntaxError) {
        var scanner = JSONScanner(bytes, allowsLoneSurrogates: allowsLoneSurrogates)
        scanner.skipSpace()
        self = try JSONFields(&scanner, memberLimit: memberLimit)
        guard scanner.isAtEnd else { throw .unexpectedByte(at: scanner.position - bytes.startIndex) }
    }

    package init(_ bytes: [UInt8]) throws(JSONSyntaxError) { try self.init(bytes[...]) }

    /// Reads the object at the current position, and the whitespace after it.
    init(_ scanner: inout JSONScanner, memberLimit: Int = JSONScanner.memberLimit) throws(JSONSyntaxError) {
        members = try scanner.members(limit: memberLimit)
        text = scanner.bytes
        allowsLoneSurrogates = scanner.allowsLoneSurrogates
        try refuseDuplicates()
        scanner.skipSpace()
    }

    /// Reads consecutive objects, such as the commands of a text frame; at most `limit`.
    package static func sequence(_ bytes: [UInt8], limit: Int) throws(JSONSyntaxError) -> [JSONFields] {
        var scanner = JSONScanner(bytes[...])
        var objects: [JSONFields] = []
        scanner.skipSpace()
        while !scanner.isAtEnd {
            guard objects.count < limit else { throw .tooMany(limit: limit) }
            objects.append(try JSONFields(&scanner))
        }
        return objects
    }

    private func refuseDuplicates() throws(JSONSyntaxError) {
        guard members.count > 1 else { return }
        if members.count <= 8 {
            for index in 1..<members.count {
                for other in 0..<index where isSame(members[other], members[index]) {
                    throw .duplicateKey(name(members[index]))
                }
            }
        } else {
            var seen: Set<String> = []
            for key in keys where !seen.insert(key).inserted { throw .duplicateKey(key) }
        }
    }

    // MARK: Names

    private func isSame(_ a: MemberTable.Member, _ b: MemberTable.Member) -> Bool {
        if a.isPlain, b.isPlain { return a.name.count == b.name.count && text[a.name] == text[b.name] }
        return name(a) == name(b)
    }

    /// Returns a member's name. The scanner has validated it, so this cannot fail.
    private func name(_ member: MemberTable.Member) -> String { (try? JSONText.string(text[member.name])) ?? "" }

    private func isNamed(_ key: String, _ member: MemberTable.Member) -> Bool {
        let (utf8, count) = (key.utf8, member.name.count - 2)
        guard member.isPlain else {
            // Escaping turns one byte into at most six, so longer names cannot match and need not be decoded.
            return (utf8.count...6 * utf8.count).contains(count) && name(member) == key
        }
        return utf8.count == count && text[member.name].dropFirst().dropLast().elementsEqual(utf8)
    }

    package var isEmpty: Bool { members.count == 0 }
    package var count: Int { members.count }
    package var keys: [String] { members.indices.map { name(members[$0]) } }

    /// Returns the first name that is not among the known ones; nil if all are known.
    package func firstName(outside known: [String], and other: String? = nil) -> String? {
        for index in members.indices {
            let member = members[index]
            if let other, isNamed(other, member) { continue }
            if !known.contains(where: { isNamed($0, member) }) { return name(member) }
        }
        return nil
    }

    // MARK: Values

    /// Returns all members with their names. Each must be an object.
    ///
    /// - Throws: `.wrongType` if a member is not an object.
    package func objects() throws(JSONSyntaxError) -> [(name: String, fields: JSONFields)] {
        var objects: [(name: String, fields: JSONFields)] = []
        for index in members.indices {
            let value = text[members[index].value]
            guard value.first == UInt8(ascii: "{") else { throw .wrongType(field: name(members[index])) }
            objects.append((name(members[index]), try JSONFields(value, allowsLoneSurrogates: allowsLoneSurrogates)))
        }
        return objects
    }

    /// Returns the raw bytes of a value; nil if it is absent or `null`.
    package func raw(_ key: String) -> ArraySlice<UInt8>? {
        guard let value = value(key), value.first != UInt8(ascii: "n") else { return nil }
        return value
    }

    /// Returns the raw bytes of a value, including `null`; nil if it is absent.
    func value(_ key: String) -> ArraySlice<UInt8>? {
        for index in members.indices where isNamed(key, members[index]) { return text[members[index].value] }
        return nil
    }

    package func string(_ key: String) throws(JSONSyntaxError) -> String? {
        guard let value = raw(key) else { return nil }
        guard value.first == UInt8(ascii: "\"") else { throw .wrongType(field: key) }
        return try JSONText.string(value)
    }

    package func bool(_ key: String) throws(JSONSyntaxError) -> Bool? {
        guard let value = raw(key) else { return nil }
        if value.elementsEqual("true".utf8) { return true }
        if value.elementsEqual("false".utf8) { return false }
        throw .wrongType(field: key)
    }

    /// Returns a non-negative integer without a fraction or an exponent; nil if it is absent or `null`.
    package func unsigned(_ key: String) throws(JSONSyntaxError) -> UInt64? {
        guard let value = raw(key) else { return nil }
        var number: UInt64 = 0
        for byte in value {
            guard (0x30...0x39).contains(byte) else { throw .wrongType(field: key) }
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(byte - 0x30))
            guard !overflow, !carry else { throw .wrongType(field: key) }
            number = sum
        }
        return number
    }

    package func object(_ key: String) throws(JSONSyntaxError) -> JSONFields? {
        guard let value = raw(key) else { return nil }
        guard value.first == UInt8(ascii: "{") else { throw .wrongType(field: key) }
        return try JSONFields(value, allowsLoneSurrogates: allowsLoneSurrogates)
    }

    /// Returns the elements of an array. The bytes must be exactly one array.
    package static func array(_ bytes: [UInt8]) throws(JSONSyntaxError) -> [ArraySlice<UInt8>] {
        var scanner = JSONScanner(bytes[...])
        scanner.skipSpace()
        let elements = try scanner.elements()
        scanner.skipSpace()
        guard scanner.isAtEnd else { throw .unexpectedByte(at: scanner.position) }
        return elements
    }

    /// Returns the elements of an already validated value; nil if it is not an array or has more than `limit` elements.
    package static func elements(of value: ArraySlice<UInt8>, limit: Int) -> [ArraySlice<UInt8>]? {
        guard value.first == UInt8(ascii: "[") else { return nil }
        var scanner = JSONScanner(value)
        return try? scanner.elements(limit: limit)
    }

    /// Returns the elements of an array as raw bytes; nil if it is absent or `null`.
    package func objects(_ key: String) throws(JSONSyntaxError) -> [ArraySlice<UInt8>]? {
        guard let value = raw(key) else { return nil }
        var scanner = JSONScanner(value)
        return try scanner.elements()
    }
}
