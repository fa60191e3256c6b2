/// A decoder for `Decodable` values from already validated JSON. It parses numbers and strings only when a field is
/// requested.
///
/// It throws Foundation's `DecodingError` with the field's coding path. It refuses objects with duplicate names, and
/// arrays above the limit before decoding their elements.
package struct WireDecoder: Sendable {
    /// Limits for each value below the outermost object.
    package struct Limits: Sendable {
        /// The maximum number of elements in an array.
        package var elements: Int
        /// The maximum number of members in an object.
        package var members: Int

        package init(elements: Int = .max, members: Int = JSONScanner.memberLimit) {
            self.elements = elements
            self.members = members
        }
    }

    /// An error for an array or object above its limit.
    package struct TooMany: Error, Equatable {
        /// The path of the array or object, with names joined by dots.
        package let field: String
        package let limit: Int
        package let isObject: Bool

        init(_ path: JSONPath, limit: Int, isObject: Bool) {
            field = path.keys.map(\.stringValue).joined(separator: ".")
            self.limit = limit
            self.isObject = isObject
        }
    }

    private let limits: Limits

    package init(limits: Limits = Limits()) { self.limits = limits }

    package func decode<Value: Decodable>(_ type: Value.Type, from fields: JSONFields) throws -> Value {
        try Value(from: FieldsDecoder(source: .fields(fields), path: .root, limits: limits))
    }
}

/// The path of a value, for error messages.
struct JSONPath {
    /// An object or array that contains other values.
    final class Parent {
        let path: JSONPath
        init(_ path: JSONPath) { self.path = path }
    }

    private let key: (any CodingKey)?
    private let parent: Parent?

    static var root: JSONPath { JSONPath(key: nil, parent: nil) }
    static func member(_ key: any CodingKey, of parent: Parent) -> JSONPath { JSONPath(key: key, parent: parent) }

    var keys: [any CodingKey] { (parent?.path.keys ?? []) + (key.map { [$0] } ?? []) }
}

/// A decoder for one value: the outermost object, or the bytes of a value inside it.
struct FieldsDecoder: Decoder, SingleValueDecodingContainer {
    enum Source {
        case fields(JSONFields)
        case bytes(ArraySlice<UInt8>)
    }

    let source: Source
    let path: JSONPath
    let limits: WireDecoder.Limits

    var codingPath: [any CodingKey] { path.keys }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(ObjectReader<Key>(fields: try fields(), parent: JSONPath.Parent(path), limits: limits))
    }

    private func fields() throws -> JSONFields {
        switch source {
        case .fields(let fields): return fields
        case .bytes(let bytes):
            let scalar = JSONScalar(bytes: bytes, path: path)
            guard bytes.first == UInt8(ascii: "{") else { throw scalar.mismatch([String: Any].self) }
            do throws(JSONSyntaxError) {
                return try JSONFields(bytes, memberLimit: limits.members)
            } catch .tooMany(let limit) {
                throw WireDecoder.TooMany(path, limit: limit, isObject: true)
            } catch {
                throw scalar.corrupted("\(error)")
            }
        }
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let scalar = scalar
        guard scalar.bytes.first == UInt8(ascii: "[") else { throw scalar.mismatch([Any].self) }
        var scanner = JSONScanner(scalar.bytes)
        do throws(JSONSyntaxError) {
            return ArrayReader(
                elements: try scanner.elements(limit: limits.elements), parent: JSONPath.Parent(path), limits: limits)
        } catch .tooMany(let limit) {
            throw WireDecoder.TooMany(path, limit: limit, isObject: false)
        } catch {
            throw scalar.corrupted("\(error)")
        }
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    /// The value as a scalar. The outermost object is not one, so an opening brace represents it.
    private var scalar: JSONScalar {
        guard case .bytes(let bytes) = source else { return JSONScalar(bytes: [UInt8(ascii: "{")], path: path) }
        return JSONScalar(bytes: bytes, path: path)
    }

    func decodeNil() -> Bool { scalar.isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try scalar.bool() }
    func decode(_ type: String.Type) throws -> String { try scalar.string() }
    func decode(_ type: Double.Type) throws -> Double { try scalar.double() }
    func decode(_ type: Float.Type) throws -> Float { Float(try scalar.double()) }
    func decode<Value: FixedWidthInteger & Decodable>(_ type: Value.Type) throws -> Value { try scalar.integer(type) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }
}
