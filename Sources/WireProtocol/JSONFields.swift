/// The members of one JSON object, asked for by name and type. `null` counts as absent.
package struct JSONFields {
    private var members: [(key: String, value: ArraySlice<UInt8>)]

    /// - Throws: When the bytes are not exactly one object, or a key stands in it twice.
    package init(_ bytes: ArraySlice<UInt8>) throws(JSONSyntaxError) {
        var scanner = JSONScanner(bytes)
        scanner.skipSpace()
        members = try scanner.members()
        scanner.skipSpace()
        guard scanner.isAtEnd else { throw .unexpectedByte(at: scanner.position - bytes.startIndex) }
        try refuseDuplicates()
    }

    package init(_ bytes: [UInt8]) throws(JSONSyntaxError) { try self.init(bytes[...]) }

    /// Objects that follow each other, as in a text frame of several commands; at most `limit`.
    package static func sequence(_ bytes: [UInt8], limit: Int) throws(JSONSyntaxError) -> [JSONFields] {
        var scanner = JSONScanner(bytes[...])
        var objects: [JSONFields] = []
        scanner.skipSpace()
        while !scanner.isAtEnd {
            guard objects.count < limit else { throw .tooMany(limit: limit) }
            let fields = JSONFields(members: try scanner.members())
            try fields.refuseDuplicates()
            objects.append(fields)
            scanner.skipSpace()
        }
        return objects
    }

    private init(members: [(key: String, value: ArraySlice<UInt8>)]) { self.members = members }

    private func refuseDuplicates() throws(JSONSyntaxError) {
        guard members.count > 1 else { return }
        if members.count <= 8 {
            for index in 1..<members.count {
                for other in 0..<index where members[other].key == members[index].key {
                    throw .duplicateKey(members[index].key)
                }
            }
        } else {
            var seen: Set<String> = []
            for member in members where !seen.insert(member.key).inserted { throw .duplicateKey(member.key) }
        }
    }

    package var isEmpty: Bool { members.isEmpty }
    package var keys: [String] { members.map(\.key) }

    /// Every member that is an object, with its name.
    package func objects() throws(JSONSyntaxError) -> [(name: String, fields: JSONFields)] {
        var objects: [(name: String, fields: JSONFields)] = []
        for member in members {
            guard member.value.first == UInt8(ascii: "{") else { throw .wrongType(field: member.key) }
            objects.append((member.key, try JSONFields(member.value)))
        }
        return objects
    }

    /// The bytes of a value as they stand.
    package func raw(_ key: String) -> ArraySlice<UInt8>? {
        guard let value = value(key), value.first != UInt8(ascii: "n") else { return nil }
        return value
    }

    /// The same, also of `null`.
    func value(_ key: String) -> ArraySlice<UInt8>? {
        let count = key.utf8.count
        for member in members where member.key.utf8.count == count && member.key == key { return member.value }
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

    /// A non-negative integer without fraction or exponent.
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
        return try JSONFields(value)
    }

    /// The objects of an array.
    package func objects(_ key: String) throws(JSONSyntaxError) -> [ArraySlice<UInt8>]? {
        guard let value = raw(key) else { return nil }
        var scanner = JSONScanner(value)
        return try scanner.elements()
    }
}

extension JSONScanner {
    /// The elements of the array that starts here.
    mutating func elements() throws(JSONSyntaxError) -> [ArraySlice<UInt8>] {
        let inner = try arrayBody()
        var scanner = JSONScanner(inner)
        var elements: [ArraySlice<UInt8>] = []
        scanner.skipSpace()
        while !scanner.isAtEnd {
            let start = scanner.position
            try scanner.skipValue()
            elements.append(inner[start..<scanner.position])
            scanner.skipSpace()
            guard !scanner.isAtEnd else { break }
            scanner.passComma()
            scanner.skipSpace()
        }
        return elements
    }

    private mutating func arrayBody() throws(JSONSyntaxError) -> ArraySlice<UInt8> {
        let start = position
        guard !isAtEnd, bytes[start] == UInt8(ascii: "[") else { throw .wrongType(field: "array") }
        try skipValue()
        return bytes[(start + 1)..<(position - 1)]
    }

    /// The array was checked as a whole, so what stands between two elements is a comma.
    private mutating func passComma() { self = JSONScanner(bytes, at: position + 1) }
}
