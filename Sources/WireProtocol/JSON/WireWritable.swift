/// A shape that most of the traffic is made of, so that it writes itself: a tenth of the time of its `Codable`.
///
/// The bytes are those of the encoder all the same, which a test compares for each conforming type.
package protocol WireWritable: Encodable {
    /// Writes the fields that are not nil, sorted by name, into the object that is open.
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
    /// What is too rare to be written by hand.
    package mutating func encoded(_ name: String, _ value: some Encodable) { raw(name, WireEncoder().encode(value)) }
}
