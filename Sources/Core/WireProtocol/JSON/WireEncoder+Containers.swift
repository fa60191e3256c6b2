/// The encoder passed to values. It is stateless; the output keeps track of open containers.
struct ValueEncoder: Encoder, SingleValueEncodingContainer {
    let output: JSONOutput
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        output.openObject()
        return KeyedEncodingContainer(ObjectFields<Key>(output: output))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        output.openArray()
        return ArrayElements(output: output)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { output.writeNull() }
    func encode(_ value: Bool) { output.write(value) }
    func encode(_ value: String) { output.write(value) }
    func encode(_ value: Double) throws { try output.write(value) }
    func encode(_ value: Float) throws { try output.write(Double(value)) }
    func encode<Value: FixedWidthInteger & Encodable>(_ value: Value) { output.writeInteger(value) }
    func encode<Value: Encodable>(_ value: Value) throws { try output.write(value) }
}

private struct ObjectFields<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let output: JSONOutput
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { output.member(key.stringValue) { output.writeNull() } }
    func encode(_ value: Bool, forKey key: Key) { output.member(key.stringValue) { output.write(value) } }
    func encode(_ value: String, forKey key: Key) { output.member(key.stringValue) { output.write(value) } }
    func encode(_ value: Double, forKey key: Key) throws {
        try output.member(key.stringValue) { try output.write(value) }
    }
    func encode(_ value: Float, forKey key: Key) throws { try encode(Double(value), forKey: key) }
    func encode<Value: FixedWidthInteger & Encodable>(_ value: Value, forKey key: Key) {
        output.member(key.stringValue) { output.writeInteger(value) }
    }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try output.member(key.stringValue) { try output.write(value) }
    }

    func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Inner> { unsupported() }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { unsupported() }
    func superEncoder() -> any Encoder { unsupported() }
    func superEncoder(forKey key: Key) -> any Encoder { unsupported() }
}

private struct ArrayElements: UnkeyedEncodingContainer {
    let output: JSONOutput
    var codingPath: [any CodingKey] { [] }
    var count: Int { output.elementCount }

    func encodeNil() { output.element { output.writeNull() } }
    func encode(_ value: Bool) { output.element { output.write(value) } }
    func encode(_ value: String) { output.element { output.write(value) } }
    func encode(_ value: Double) throws { try output.element { try output.write(value) } }
    func encode(_ value: Float) throws { try encode(Double(value)) }
    func encode<Value: FixedWidthInteger & Encodable>(_ value: Value) { output.element { output.writeInteger(value) } }
    func encode<Value: Encodable>(_ value: Value) throws { try output.element { try output.write(value) } }

    func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type) -> KeyedEncodingContainer<Inner> { unsupported() }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { unsupported() }
    func superEncoder() -> any Encoder { unsupported() }
}

/// Traps, because values could fill several explicitly opened containers alternately, which append-only output does not
/// support. No wire type opens any.
private func unsupported() -> Never { preconditionFailure("a wire shape that opens containers by hand") }
