import Foundation
import TestSupport
import Testing
import WireProtocol

@Suite struct WireEncoderTests {
    private let foundation: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    private func text(_ value: some Encodable) -> String {
        String(decoding: WireEncoder().encode(value), as: UTF8.self)
    }

    private func foundationText(_ value: some Encodable) throws -> String {
        String(decoding: try foundation.encode(value), as: UTF8.self)
    }

    @Test func `a value is written with its fields sorted and nil ones omitted`() {
        let shape = Everything(
            name: "n\"\\/\n€", isOn: true, inner: Inner(b: 1, ab: 2, a: 3), values: ["b": "2", "a": "1"])
        #expect(
            text(shape)
                == #"{"big":18446744073709551615,"inner":{"a":3,"ab":2,"b":1},"is_on":true,"kind":"second","#
                + #""list":[],"name":"n\"\\/\n€","nothing":null,"number":-5,"values":{"a":"1","b":"2"},"volume":1}"#)
    }

    @Test func `a value without fields is an empty object, and arrays can be nested`() {
        #expect(text(Empty()) == "{}")
        #expect(text([[1, 2], [], [3]]) == "[[1,2],[],[3]]")
        #expect(
            text([Inner(b: 1, ab: 2, a: 3), Inner(b: 4, ab: 5, a: 6)])
                == #"[{"a":3,"ab":2,"b":1},{"a":6,"ab":5,"b":4}]"#)
        #expect(text(["x": [Empty()]]) == #"{"x":[{}]}"#)
        #expect(text([nil, true, nil]) == "[null,true,null]")
        #expect(text("alone") == #""alone""#)
    }

    @Test(arguments: 0..<200) func `the bytes match Foundation's encoder`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var shape = Everything.random(depth: 3, &random)
        #expect(text(shape) == (try foundationText(shape)))
        shape.more = nil
        #expect(text([shape]) == (try foundationText([shape])))
    }

    @Test func `control characters are escaped in one canonical form`() {
        #expect(text("\u{8}\u{C}\u{0}\u{1F}\u{7F}") == "\"\\u0008\\u000c\\u0000\\u001f\u{7F}\"")
    }
}

private struct Empty: Codable, Equatable {}

private struct Inner: Codable, Equatable {
    var b: Int
    var ab: UInt8
    var a: Int64
}

private enum Kind: String, Codable, CaseIterable { case first, second }

private struct Everything: Codable, Equatable {
    var name: String
    var isOn: Bool
    var inner: Inner
    var absent: String?
    var kind = Kind.second
    var list: [Inner] = []
    var values: [String: String]
    var number: Int32 = -5
    var big = UInt64.max
    var volume = 1.0
    var more: [Everything]?

    enum CodingKeys: String, CodingKey {
        case name, inner, absent, kind, list, values, number, big, volume, more, nothing
        case isOn = "is_on"
    }

    init(name: String, isOn: Bool, inner: Inner, values: [String: String]) {
        (self.name, self.isOn, self.inner, self.values) = (name, isOn, inner, values)
    }

    init(from decoder: any Decoder) throws { throw CancellationError() }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(isOn, forKey: .isOn)
        try container.encode(inner, forKey: .inner)
        try container.encodeIfPresent(absent, forKey: .absent)
        try container.encode(kind, forKey: .kind)
        try container.encode(list, forKey: .list)
        try container.encode(values, forKey: .values)
        try container.encode(number, forKey: .number)
        try container.encode(big, forKey: .big)
        try container.encode(volume, forKey: .volume)
        try container.encodeIfPresent(more, forKey: .more)
        try container.encodeNil(forKey: .nothing)
    }

    static func random(depth: Int, _ random: inout SeededGenerator) -> Everything {
        func word(_ random: inout SeededGenerator) -> String {
            let letters = [
                "a", "b", "Z", "\"", "\\", "/", "\n", "\t", "\r", "\u{1}", "\u{7F}", "é", "€", "😀", " ", "0",
            ]
            return (0..<Int.random(in: 0...20, using: &random)).map { _ in
                letters.randomElement(using: &random) ?? ""
            }.joined()
        }
        func inner(_ random: inout SeededGenerator) -> Inner {
            Inner(b: .random(in: .min ... .max, using: &random), ab: 7, a: .random(in: -1...1, using: &random))
        }
        var made = Everything(name: word(&random), isOn: .random(using: &random), inner: inner(&random), values: [:])
        made.absent = Bool.random(using: &random) ? word(&random) : nil
        made.kind = Kind.allCases.randomElement(using: &random) ?? .first
        made.list = (0..<Int.random(in: 0...3, using: &random)).map { _ in inner(&random) }
        for _ in 0..<Int.random(in: 0...20, using: &random) {
            made.values["k\(Int.random(in: 0...1_000, using: &random))"] = word(&random)
        }
        made.number = .random(in: .min ... .max, using: &random)
        made.big = .random(in: .min ... .max, using: &random)
        made.volume = [0, 0.5, -1, 1e21, 0.1, 1e-7].randomElement(using: &random) ?? 0
        if depth > 0, Bool.random(using: &random) {
            made.more = (0..<2).map { _ in Everything.random(depth: depth - 1, &random) }
        }
        return made
    }
}
