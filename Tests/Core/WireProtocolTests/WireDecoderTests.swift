import Foundation
import Testing
import WireProtocol

@Suite struct WireDecoderTests {
    private func decoded<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try WireDecoder().decode(type, from: try JSONFields(Array(text.utf8)))
    }

    @Test func `fields are read by name and type, and absent ones are nil`() throws {
        let text =
            #" {"name":"a\u00e9\n","list":[1, -2 ,3],"inner":{"x":7},"values":{"k":"v"},"kind":"second","rest":null} "#
        let value = try decoded(Shape.self, text)
        #expect(value.name == "aé\n" && value.list == [1, -2, 3] && value.inner == Shape.Inner(x: 7))
        #expect(value.values == ["k": "v"] && value.kind == .second && value.rest == nil)
    }

    @Test(
        arguments: [
            (#"{"name":"a","list":[1,2,3]}"#, nil, false), (#"{"name":"a","list":[1,2,3,4]}"#, "list", false),
            // Nothing after the first excess element is read: none of this is a number.
            (#"{"name":"a","list":[1,2,3,"x",{},[]]}"#, "list", false),
            (#"{"name":"a","values":{"a":"","b":""}}"#, nil, true),
            (#"{"name":"a","values":{"a":"","b":"","c":1}}"#, "values", true),
            (#"{"name":"a","nested":[{"x":1,"y":2,"z":3}]}"#, "nested.Index 0", true),
        ] as [(String, String?, Bool)])
    func `a list or object that is too long is refused by name before its elements are read`(
        text: String, field: String?, isObject: Bool
    ) throws {
        let decoder = WireDecoder(limits: .init(elements: 3, members: 2))
        let fields = try JSONFields(Array(text.utf8))
        do {
            _ = try decoder.decode(Shape.self, from: fields)
            #expect(field == nil)
        } catch let error as WireDecoder.TooMany {
            #expect(error.field == field && error.isObject == isObject && error.limit == (isObject ? 2 : 3))
        }
    }

    @Test(arguments: [
        #"{"name":"a"}"#, #"{"name":1}"#, #"{"name":null}"#, "{}", #"{"name":"a","list":[1,"2"]}"#,
        #"{"name":"a","list":[1,null]}"#, #"{"name":"a","list":{}}"#, #"{"name":"a","inner":[]}"#,
        #"{"name":"a","inner":{}}"#, #"{"name":"a","inner":{"x":"7"}}"#, #"{"name":"a","inner":{"x":null}}"#,
        #"{"name":"a","inner":null}"#, #"{"name":"a","values":{"k":1}}"#, #"{"name":"a","kind":"third"}"#,
        #"{"name":"a","kind":3}"#, #"{"name":"a","rest":true}"#, #"{"name":"a","rest":1}"#, #"{"name":true}"#,
        #"{"name":"a","inner":{"x":1.0}}"#, #"{"name":"a","inner":{"x":1.5}}"#, #"{"name":"a","inner":{"x":1e2}}"#,
        #"{"name":"a","inner":{"x":-128}}"#, #"{"name":"a","inner":{"x":128}}"#, #"{"name":"a","inner":{"x":-129}}"#,
        #"{"name":"a","inner":{"x":-0}}"#, #"{"name":"a","volume":1}"#, #"{"name":"a","volume":-1.5e-3}"#,
        #"{"name":"a","volume":"1"}"#, #"{"name":"a","wide":18446744073709551615}"#,
        #"{"name":"a","wide":18446744073709551616}"#, #"{"name":"a","wide":-1}"#,
        #"{"name":"a","nested":[{"x":1},{"x":2}]}"#,
        #"{"name":"a","nested":[{"x":1},{"y":2}]}"#, #"{"name":"a","nested":[[]]}"#, #"{"name":"a","list":[]}"#,
    ])
    func `values and errors match Foundation's decoder`(text: String) {
        let ours = Result { try decoded(Shape.self, text) }
        let theirs = Result { try JSONDecoder().decode(Shape.self, from: Data(text.utf8)) }
        switch (ours, theirs) {
        case (.success(let ours), .success(let theirs)): #expect(ours == theirs)
        case (.failure(let ours), .failure(let theirs)):
            // Foundation reports no path for a number that does not fit.
            if gist(theirs) == "value " {
                #expect(gist(ours).hasPrefix("value "))
            } else {
                #expect(gist(ours) == gist(theirs))
            }
        default: Issue.record("\(ours) is not \(theirs)")
        }
    }

    /// Returns the kind of the error and its location.
    private func gist(_ error: any Error) -> String {
        func path(_ context: DecodingError.Context) -> String {
            context.codingPath.map(\.stringValue).joined(separator: ".")
        }
        return switch error as? DecodingError {
        case .keyNotFound(let key, let context): "missing \(path(context)).\(key.stringValue)"
        case .valueNotFound(_, let context): "null \(path(context))"
        case .typeMismatch(_, let context): "type \(path(context))"
        case .dataCorrupted(let context): "value \(path(context))"
        default: "\(error)"
        }
    }

    @Test func `a duplicate name in a nested object is refused there`() {
        let error = #expect(throws: DecodingError.self) {
            try decoded(Shape.self, #"{"name":"a","values":{"k":"1","k":"2"}}"#)
        }
        #expect(error.map(gist) == "value values")
    }

    @Test func `a number out of range for a Double is refused for every field`() {
        #expect(throws: DecodingError.self) { try decoded(Shape.self, #"{"name":"a","volume":1e999}"#) }
        #expect(throws: DecodingError.self) { try decoded(Shape.self, #"{"name":"a","inner":{"x":1e999}}"#) }
    }
}

private struct Shape: Codable, Equatable {
    struct Inner: Codable, Equatable { var x: Int8 }
    enum Kind: String, Codable { case first, second }
    var name: String
    var list: [Int]?
    var inner: Inner?
    var values: [String: String]?
    var kind: Kind?
    var rest: Bool?
    var volume: Double?
    var wide: UInt64?
    var nested: [Inner]?
}
