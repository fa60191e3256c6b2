struct ObjectReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let fields: JSONFields
    let parent: JSONPath.Parent
    let limits: WireDecoder.Limits

    var codingPath: [any CodingKey] { parent.path.keys }
    var allKeys: [Key] { fields.keys.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { fields.value(key.stringValue) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try scalar(key).isNull }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try scalar(key).bool() }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try scalar(key).string() }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try scalar(key).double() }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { Float(try scalar(key).double()) }
    func decode<Value: FixedWidthInteger & Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try scalar(key).integer(type)
    }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try Value(from: try decoder(key))
    }

    func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Inner> { try decoder(key).container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }
    func superDecoder() throws -> any Decoder {
        FieldsDecoder(source: .fields(fields), path: parent.path, limits: limits)
    }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

    private func scalar(_ key: Key) throws -> JSONScalar {
        JSONScalar(bytes: try bytes(key), path: .member(key, of: parent))
    }

    private func decoder(_ key: Key) throws -> FieldsDecoder {
        FieldsDecoder(source: .bytes(try bytes(key)), path: .member(key, of: parent), limits: limits)
    }

    private func bytes(_ key: Key) throws -> ArraySlice<UInt8> {
        guard let bytes = fields.value(key.stringValue) else {
            throw DecodingError.keyNotFound(key, .init(codingPath: parent.path.keys, debugDescription: "no such field"))
        }
        return bytes
    }
}

struct ArrayReader: UnkeyedDecodingContainer {
    /// An index in error messages, formatted like Foundation's index keys.
    private struct IndexKey: CodingKey {
        let intValue: Int?
        var stringValue: String { "Index \(intValue ?? 0)" }
        init(_ index: Int) { intValue = index }
        init?(intValue: Int) { self.init(intValue) }
        init?(stringValue: String) { nil }
    }

    let elements: [ArraySlice<UInt8>]
    let parent: JSONPath.Parent
    let limits: WireDecoder.Limits
    private(set) var currentIndex = 0

    init(elements: [ArraySlice<UInt8>], parent: JSONPath.Parent, limits: WireDecoder.Limits) {
        self.elements = elements
        self.parent = parent
        self.limits = limits
    }

    var codingPath: [any CodingKey] { parent.path.keys }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
        let isNull = try current(Any?.self).isNull
        if isNull { currentIndex += 1 }
        return isNull
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try next(type) { try $0.bool() } }
    mutating func decode(_ type: String.Type) throws -> String { try next(type) { try $0.string() } }
    mutating func decode(_ type: Double.Type) throws -> Double { try next(type) { try $0.double() } }
    mutating func decode(_ type: Float.Type) throws -> Float { try next(type) { Float(try $0.double()) } }
    mutating func decode<Value: FixedWidthInteger & Decodable>(_ type: Value.Type) throws -> Value {
        try next(type) { try $0.integer(type) }
    }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try next(type) { [limits] in
            try Value(from: FieldsDecoder(source: .bytes($0.bytes), path: $0.path, limits: limits))
        }
    }

    mutating func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type
    ) throws -> KeyedDecodingContainer<Inner> { try superDecoder().container(keyedBy: type) }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try superDecoder().unkeyedContainer()
    }
    mutating func superDecoder() throws -> any Decoder {
        try next(Any.self) { [limits] in
            FieldsDecoder(source: .bytes($0.bytes), path: $0.path, limits: limits)
        }
    }

    private func current(_ type: Any.Type) throws -> JSONScalar {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type, .init(codingPath: parent.path.keys, debugDescription: "the array has \(elements.count) elements"))
        }
        return JSONScalar(bytes: elements[currentIndex], path: .member(IndexKey(currentIndex), of: parent))
    }

    /// Reads the current element, and advances only if that succeeds.
    private mutating func next<Value>(_ type: Any.Type, _ read: (JSONScalar) throws -> Value) throws -> Value {
        let value = try read(try current(type))
        currentIndex += 1
        return value
    }
}
