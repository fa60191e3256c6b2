/// An encoder for wire JSON. Keys are sorted, so equal values have equal bytes in every process.
///
/// It writes fields as the value encodes them. Foundation's encoder builds a tree with one box per field and takes
/// several times as long for the same bytes.
package struct WireEncoder: Sendable {
    package init() {}

    /// - Parameter value: A value that consists of strings, integers, finite numbers, booleans, objects and arrays.
    ///   Nested values must encode themselves through `Codable`; explicitly opened nested containers trap.
    package func encode(_ value: some Encodable) -> [UInt8] {
        if let value = value as? any WireWritable { return value.wireBytes() }
        return encodeFields(of: value)
    }

    /// Encodes a value that writes itself.
    package func encode(_ value: some WireWritable) -> [UInt8] { value.wireBytes() }

    /// Encodes a value through `Codable`, even if it can write itself.
    package func encodeFields(of value: some Encodable) -> [UInt8] {
        let output = JSONOutput()
        do {
            try output.write(value)
        } catch {
            preconditionFailure("a wire shape that JSON cannot say: \(type(of: value))")
        }
        return output.bytes
    }
}

/// A frequently sent type that writes its own JSON, ten times as fast as through `Codable`.
///
/// The bytes are the same as the encoder's; a test compares them for each conforming type.
package protocol WireWritable: Encodable {
    /// Writes all non-nil fields, sorted by name, into the open object.
    func writeFields(to writer: inout JSONWriter)
}

extension WireWritable {
    func wireBytes() -> [UInt8] {
        var writer = JSONWriter(capacity: 1_024)
        writer.object { writeFields(to: &$0) }
        return writer.bytes
    }
}

extension JSONWriter {
    /// Writes a field through `WireEncoder`, for rarely used fields.
    package mutating func encoded(_ name: String, _ value: some Encodable) { raw(name, WireEncoder().encode(value)) }
}

/// The output of one encoding.
final class JSONOutput {
    /// The position of a name and its value, `"name":value`.
    private struct Member {
        let start: Int
        let nameEnd: Int
        let end: Int
    }

    /// The kind of value being written, as far as it is known.
    private enum Shape {
        /// A scalar, or nothing yet.
        case plain
        case object(start: Int, firstMember: Int)
        case array(count: Int)
    }

    private(set) var bytes: [UInt8] = []
    /// The members of all open objects, with those of the innermost object last.
    private var members: [Member] = []
    private var shape = Shape.plain
    /// Scratch space for sorting members.
    private var sorted: [UInt8] = []

    init() { bytes.reserveCapacity(512) }

    func write(_ value: some Encodable) throws {
        let outer = shape
        let start = bytes.count
        shape = .plain
        try value.encode(to: ValueEncoder(output: self))
        switch shape {
        case .plain: if bytes.count == start { bytes += "{}".utf8 }
        case .object(let start, let firstMember): close(from: start, members: firstMember)
        case .array: bytes.append(UInt8(ascii: "]"))
        }
        shape = outer
    }

    // MARK: Scalars

    func write(_ text: String) { JSONText.append(text, to: &bytes) }
    func write(_ flag: Bool) { bytes += (flag ? "true" : "false").utf8 }
    func writeInteger(_ number: some BinaryInteger) { bytes += String(number).utf8 }
    func writeNull() { bytes += "null".utf8 }

    func write(_ number: Double) throws {
        guard number.isFinite else {
            throw EncodingError.invalidValue(number, .init(codingPath: [], debugDescription: "JSON has no such number"))
        }
        let text = number.description
        bytes += text.hasSuffix(".0") ? text.utf8.dropLast(2) : text.utf8[...]
    }

    // MARK: Objects

    func openObject() {
        if case .object = shape { return }
        shape = .object(start: bytes.count, firstMember: members.count)
        bytes.append(UInt8(ascii: "{"))
    }

    func member(_ name: String, _ writeValue: () throws -> Void) rethrows {
        guard case .object(let objectStart, _) = shape else { return }
        if bytes.count > objectStart + 1 { bytes.append(UInt8(ascii: ",")) }
        let start = bytes.count
        JSONText.append(name, to: &bytes)
        let nameEnd = bytes.count
        bytes.append(UInt8(ascii: ":"))
        try writeValue()
        members.append(Member(start: start, nameEnd: nameEnd, end: bytes.count))
    }

    private func close(from start: Int, members first: Int) {
        let range = first..<members.count
        if !zip(range, range.dropFirst()).allSatisfy({ name(of: members[$0], precedes: members[$1]) }) {
            sortMembers(range, from: start)
        }
        members.removeSubrange(range)
        bytes.append(UInt8(ascii: "}"))
    }

    private func sortMembers(_ range: Range<Int>, from start: Int) {
        // Insertion sort, because objects have few fields.
        for index in range.dropFirst() {
            let member = members[index]
            var place = index
            while place > range.lowerBound, name(of: member, precedes: members[place - 1]) {
                members[place] = members[place - 1]
                place -= 1
            }
            members[place] = member
        }
        sorted.removeAll(keepingCapacity: true)
        for index in range {
            sorted.append(index == range.lowerBound ? UInt8(ascii: "{") : UInt8(ascii: ","))
            sorted += bytes[members[index].start..<members[index].end]
        }
        bytes.replaceSubrange(start..., with: sorted)
    }

    /// Compares the bytes of the names, without quotation marks.
    private func name(of a: Member, precedes b: Member) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            bytes[a.start + 1..<a.nameEnd - 1].lexicographicallyPrecedes(bytes[b.start + 1..<b.nameEnd - 1])
        }
    }

    // MARK: Arrays

    func openArray() {
        shape = .array(count: 0)
        bytes.append(UInt8(ascii: "["))
    }

    var elementCount: Int {
        if case .array(let count) = shape { count } else { 0 }
    }

    func element(_ writeValue: () throws -> Void) rethrows {
        let count = elementCount
        if count > 0 { bytes.append(UInt8(ascii: ",")) }
        try writeValue()
        shape = .array(count: count + 1)
    }
}
