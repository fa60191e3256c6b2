import Foundation
import TestSupport
import Testing
import WireProtocol

@Suite struct JSONScannerTests {
    /// Returns the error of reading `text` as the only value of an object; nil if it is accepted.
    private func scan(_ value: [UInt8]) -> JSONSyntaxError? {
        do throws(JSONSyntaxError) {
            _ = try JSONFields(Array(#"{"v":"#.utf8) + value + Array("}".utf8))
            return nil
        } catch {
            return error
        }
    }

    private func scan(_ value: String) -> JSONSyntaxError? { scan(Array(value.utf8)) }

    @Test(arguments: [
        "0", "-0", "7", "10", "1.0", "0.5", "-0.5e-7", "1E+2", "1e400", "-1e-400", "18446744073709551616",
        "9223372036854775808", "123456789012345678901234567890.5", "true", "false", "null", #""""#, #""\u0000""#,
        #""\ud83d\ude00""#, #""\uD83D\uDE00""#, #""\/\b\f\n\r\t\"\\""#, "\"\u{7F}\u{10FFFF}\"", "{}", "[]", "[ ]",
        "{ }",
        "[[],{}]", #"{"a":{"a":[1]}}"#, "\t\n\r [1 , 2]\r\n",
    ])
    func `everything that RFC 8259 allows is accepted`(value: String) {
        #expect(scan(value) == nil)
    }

    @Test(arguments: [
        "", "-", "+1", "01", "-01", "1.", ".5", "1.e5", "1e", "1e+", "0x10", "1_000", "NaN", "Infinity", "-Infinity",
        "True", "tru", "truee", "nul", "'a'", #"""#, #""\"#, #""\""#, #""\x41""#, #""\u12""#, #""\u12g4""#,
        #""\U0041""#,
        "\"\u{0}\"", "\"\u{1F}\"", "\"\n\"", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1}", "{\"a\":1]", "{,}",
        #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a" 1}"#, "{1:1}", "{a:1}", "1 2", "]", "}", "[]]", "/**/1", "1//",
        "\u{FEFF}1", "\u{A0}1", "1\u{2028}", "\u{B}1", "\u{C}1",
    ])
    func `everything that RFC 8259 forbids is refused`(value: String) {
        #expect(scan(value) != nil)
    }

    @Test(arguments: [
        #""\ud800""#, #""\uDFFF""#, #""\ud800\ud800""#, #""\ud800x""#, #""\ud800\n""#, #""\udc00\ud800""#,
    ])
    func `a lone surrogate is refused in any position`(value: String) {
        #expect(scan(value) == .invalidString)
        #expect(scan("[[\(value)]]") == .invalidString)
        #expect(scan("{\(value):1}") == .invalidString)
        #expect(throws: JSONSyntaxError.invalidString) { try JSONFields(Array("{\(value):1}".utf8)) }
    }

    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
            [0xED, 0xBF, 0xBF], [0xE2, 0x82], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80],
            [0xFF], [0xFE, 0xFF],
        ] as [[UInt8]])
    func `invalid UTF-8 is refused even in a skipped string`(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        #expect(scan([quote] + bytes + [quote]) == .invalidString)
        #expect(scan(Array(#"[["aé\n"#.utf8) + bytes + Array(#""]]"#.utf8)) == .invalidString)
        #expect(scan(bytes) != nil)
    }

    @Test func `values nest at most 64 deep, and 100,000 levels use no stack`() {
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            for depth in [1, 63, 64] {
                let inner = open == "[" ? "" : "1"
                #expect(
                    scan(String(repeating: open, count: depth) + inner + String(repeating: close, count: depth)) == nil)
            }
            for depth in [65, 100_000] {
                #expect(scan(String(repeating: open, count: depth)) == .tooDeep(limit: 64))
                #expect(
                    scan(String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth))
                        == .tooDeep(limit: 64))
            }
        }
    }

    @Test func `the kind of each open container is known at every depth`() {
        let objects = String(repeating: #"{"a":"#, count: 32) + String(repeating: "[", count: 32)
        #expect(scan(objects + String(repeating: "]", count: 32) + String(repeating: "}", count: 32)) == nil)
        #expect(scan(objects + String(repeating: "]", count: 31) + "}") != nil)
        #expect(
            scan(String(repeating: #"{"a":[1,"#, count: 32) + "1" + String(repeating: "],\"b\":[]}", count: 32)) == nil)
    }

    @Test func `a million keys are refused in an envelope and accepted in a skipped value`() {
        var text = "{"
        for key in 0..<1_000_000 { text += "\"\(key)\":0," }
        text += "\"last\":0}"
        #expect(throws: JSONSyntaxError.tooMany(limit: 4_096)) { try JSONFields(Array(text.utf8)) }
        #expect(scan(text) == nil)
    }

    @Test func `an envelope can have up to 4,096 members`() throws {
        func object(_ count: Int) -> [UInt8] {
            Array(("{" + (0..<count).map { "\"\($0)\":0" }.joined(separator: ",") + "}").utf8)
        }
        #expect(try JSONFields(object(4_096)).keys.count == 4_096)
        #expect(throws: JSONSyntaxError.tooMany(limit: 4_096)) { try JSONFields(object(4_097)) }
    }

    @Test func `a 1 MB string of a single grapheme can be skipped and read`() throws {
        let text = "e" + String(repeating: "\u{301}", count: 500_000)
        #expect(try JSONFields(Array("{\"v\":\"\(text)\"}".utf8)).string("v")?.utf8.count == text.utf8.count)
    }

    @Test func `a text truncated at any byte requests more input and never traps`() throws {
        let text = Array(
            #"{"id":7,"rpc":{"method":"a\u00e9\ud83d\ude00é😀","data":[-1.5e+3,true,null,{"a":[{}]},"\\"]}}"#.utf8)
        #expect(try JSONFields(text).keys == ["id", "rpc"])
        for end in 0..<text.count {
            #expect(throws: JSONSyntaxError.unexpectedEnd, "cut at \(end)") { try JSONFields(text[..<end]) }
            // A slice that does not start at 0 is read like one that does.
            #expect(throws: JSONSyntaxError.self) { try JSONFields(text[end...].dropFirst()) }
        }
    }

    @Test(arguments: [
        (#"{"a":x}"#, 5), (#"  {"a":1 2}"#, 9), (#"{"a":1}}"#, 7), (#"{"a":tru}"#, 8), (#"{"a":"\x"}"#, 7),
    ])
    func `an error gives the byte position from the start of the input`(text: String, offset: Int) {
        #expect(throws: JSONSyntaxError.unexpectedByte(at: offset)) { try JSONFields(Array(text.utf8)) }
        let longer = Array(("12345" + text).utf8)
        #expect(throws: JSONSyntaxError.unexpectedByte(at: offset)) { try JSONFields(longer[5...]) }
    }

    // MARK: Against Foundation

    /// Returns whether Foundation's verdict does not count. The scanner has additional limits. A number beyond `Double`
    /// is valid JSON and is left for its reader to refuse. Foundation on Linux accepts a comma before `}` and `]`.
    private func isNoMeasure(_ bytes: [UInt8], _ refusal: JSONSyntaxError?) -> Bool {
        switch refusal {
        case .duplicateKey, .tooDeep, .tooMany: return true
        case .unexpectedByte(let offset):
            let before = bytes[..<offset].last { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
            return before == UInt8(ascii: ",") && [UInt8(ascii: "}"), UInt8(ascii: "]")].contains(bytes[offset])
        case nil: return String(decoding: bytes, as: UTF8.self).contains(/[eE][+-]?[0-9]{3}/)
        default: return false
        }
    }

    private func refusal(of bytes: [UInt8]) -> JSONSyntaxError? {
        do throws(JSONSyntaxError) {
            _ = try JSONFields(bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [1, 12, 123, 1_234] as [UInt64])
    func `the scanner accepts what Foundation accepts, for valid and corrupted input`(seed: UInt64) {
        var json = RandomJSON(random: SeededGenerator(seed: seed))
        var verdicts = (accepted: 0, refused: 0)
        for round in 0..<5_000 {
            let text = json.object(depth: 4)
            #expect(scan(text) == nil, "\(text), round \(round), seed \(seed)")
            // The first bytes are unchanged, so that Foundation does not detect UTF-16 or UTF-32.
            let bytes = Array(#"{"v":"#.utf8) + json.damage(text) + Array("}".utf8)
            let refusal = refusal(of: bytes)
            if isNoMeasure(bytes, refusal) { continue }
            if refusal == nil { verdicts.accepted += 1 } else { verdicts.refused += 1 }
            let isAccepted = (try? JSONSerialization.jsonObject(with: Data(bytes))) != nil
            guard (refusal == nil) == isAccepted else {
                Issue.record("\(bytes): \(String(describing: refusal)), round \(round), seed \(seed)")
                return
            }
        }
        // Both verdicts must be common, or the comparison proves little.
        #expect(min(verdicts.accepted, verdicts.refused) > 1_000, "\(verdicts), seed \(seed)")
    }
}
