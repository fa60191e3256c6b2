/// A decoder without data. It records what a type decodes and returns samples.
struct RecordingDecoder: Decoder {
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    let recorder: ShapeRecorder
    let fields = RecordedFields()
    /// The index of the sample text to return, because ids reject most texts.
    let attempt: Int

    init(_ recorder: ShapeRecorder, attempt: Int) {
        self.recorder = recorder
        self.attempt = attempt
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Fields<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw ShapeRecorder.Unreadable() }
    func singleValueContainer() -> any SingleValueDecodingContainer { One(decoder: self) }

    struct One: SingleValueDecodingContainer {
        let decoder: RecordingDecoder
        var codingPath: [any CodingKey] { [] }

        func decodeNil() -> Bool { false }

        func decode<T: Decodable>(_ type: T.Type) throws -> T {
            decoder.fields.single = decoder.recorder.shape(of: type)
            return try decoder.recorder.sample(type, attempt: decoder.attempt)
        }
    }

    struct Fields<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: RecordingDecoder
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { [] }

        func contains(_ key: Key) -> Bool { false }
        func decodeNil(forKey key: Key) -> Bool { true }

        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
            decoder.fields.record(key.stringValue, decoder.recorder.shape(of: type), isRequired: true)
            return try decoder.recorder.sample(type, attempt: decoder.attempt)
        }

        private func optional<T: Decodable>(_ type: T.Type, _ key: Key) -> T? {
            decoder.fields.record(key.stringValue, decoder.recorder.shape(of: type), isRequired: false)
            return nil
        }

        // Every overload is implemented, because the defaults would call `contains` and never reveal the type.
        func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) -> T? { optional(type, key) }
        func decodeIfPresent(_ type: Bool.Type, forKey key: Key) -> Bool? { optional(type, key) }
        func decodeIfPresent(_ type: String.Type, forKey key: Key) -> String? { optional(type, key) }
        func decodeIfPresent(_ type: Double.Type, forKey key: Key) -> Double? { optional(type, key) }
        func decodeIfPresent(_ type: Float.Type, forKey key: Key) -> Float? { optional(type, key) }
        func decodeIfPresent(_ type: Int.Type, forKey key: Key) -> Int? { optional(type, key) }
        func decodeIfPresent(_ type: Int8.Type, forKey key: Key) -> Int8? { optional(type, key) }
        func decodeIfPresent(_ type: Int16.Type, forKey key: Key) -> Int16? { optional(type, key) }
        func decodeIfPresent(_ type: Int32.Type, forKey key: Key) -> Int32? { optional(type, key) }
        func decodeIfPresent(_ type: Int64.Type, forKey key: Key) -> Int64? { optional(type, key) }
        func decodeIfPresent(_ type: UInt.Type, forKey key: Key) -> UInt? { optional(type, key) }
        func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) -> UInt8? { optional(type, key) }
        func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) -> UInt16? { optional(type, key) }
        func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) -> UInt32? { optional(type, key) }
        func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) -> UInt64? { optional(type, key) }

        func nestedContainer<Inner: CodingKey>(
            keyedBy type: Inner.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Inner> { throw ShapeRecorder.Unreadable() }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            throw ShapeRecorder.Unreadable()
        }
        func superDecoder() throws -> any Decoder { throw ShapeRecorder.Unreadable() }
        func superDecoder(forKey key: Key) throws -> any Decoder { throw ShapeRecorder.Unreadable() }
    }
}
