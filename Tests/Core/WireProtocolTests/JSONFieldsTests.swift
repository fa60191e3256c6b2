import Testing
import WireProtocol

@Suite struct JSONFieldsTests {
    private func fields(_ text: String) throws(JSONSyntaxError) -> JSONFields { try JSONFields(Array(text.utf8)) }

    @Test(arguments: ["", "  ", "[]", "1", #""a""#, "null", "{", "}", "{}{}", "{} 1", "{}\u{0}", "\u{FEFF}{}"])
    func `anything but exactly one object is refused`(text: String) {
        #expect(throws: JSONSyntaxError.self) { try fields(text) }
    }

    @Test func `null and absent are equivalent, and an empty value is neither`() throws {
        let fields = try fields(#"{"none":null,"text":"","zero":0,"object":{},"no":false}"#)
        #expect(fields.raw("none") == nil && fields.raw("never") == nil)
        #expect(try fields.string("none") == nil && fields.string("never") == nil && fields.string("text") == "")
        #expect(try fields.unsigned("none") == nil && fields.unsigned("zero") == 0)
        #expect(try fields.bool("none") == nil && fields.bool("no") == false)
        #expect(try fields.object("none") == nil && fields.object("object")?.isEmpty == true)
        #expect(try fields.objects("none") == nil)
        #expect(!fields.isEmpty)
        #expect(fields.keys == ["none", "text", "zero", "object", "no"])
    }

    @Test(
        arguments: [
            ("0", 0), ("7", 7), ("9223372036854775807", 1 << 63 - 1), ("9223372036854775808", 1 << 63),
            ("18446744073709551615", .max), ("18446744073709551616", nil), ("18446744073709551620", nil),
            ("99999999999999999999999999", nil), ("-1", nil), ("-0", nil), ("1.0", nil), ("1e3", nil), ("1e400", nil),
            ("true", nil), (#""7""#, nil), ("{}", nil), ("[]", nil),
        ] as [(String, UInt64?)])
    func `an unsigned number fits in 64 bits and has no sign, fraction or exponent`(
        text: String, number: UInt64?
    ) throws {
        let fields = try fields("{\"n\":\(text)}")
        if let number {
            #expect(try fields.unsigned("n") == number)
        } else {
            #expect(throws: JSONSyntaxError.wrongType(field: "n")) { try fields.unsigned("n") }
        }
    }

    @Test func `a value of the wrong type is refused with the name of its field`() throws {
        let fields = try fields(#"{"v":[1],"w":{"a":1}}"#)
        #expect(throws: JSONSyntaxError.wrongType(field: "v")) { try fields.string("v") }
        #expect(throws: JSONSyntaxError.wrongType(field: "v")) { try fields.bool("v") }
        #expect(throws: JSONSyntaxError.wrongType(field: "v")) { try fields.unsigned("v") }
        #expect(throws: JSONSyntaxError.wrongType(field: "v")) { try fields.object("v") }
        #expect(throws: JSONSyntaxError.self) { try fields.objects("w") }
        #expect(throws: JSONSyntaxError.wrongType(field: "v")) { try fields.objects() }
    }

    @Test(arguments: [
        #"{"a":1,"a":1}"#, #"{"a":1,"b":2,"\u0061":3}"#, #"{"a":null,"a":1}"#, #"{"":1,"":2}"#,
        #"{"1":0,"2":0,"3":0,"4":0,"5":0,"6":0,"7":0,"a":0,"a":0}"#,
        #"{"a":0,"1":0,"2":0,"3":0,"4":0,"5":0,"6":0,"7":0,"8":0,"9":0,"a":0}"#,
    ])
    func `a duplicate key is refused in any spelling`(text: String) {
        #expect(throws: JSONSyntaxError.duplicateKey(text.contains("\"\":") ? "" : "a")) { try fields(text) }
    }

    @Test func `keys are case-sensitive, and can recur in another object`() throws {
        #expect(try fields(#"{"a":{"a":{"a":1}},"A":2}"#).unsigned("A") == 2)
    }

    @Test(arguments: [
        (#""""#, ""), (#""ann""#, "ann"), (#""\u0061\u00e9\u20AC""#, "aé€"), (#""\ud83d\uDE00!""#, "😀!"),
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0000""#, "\u{0}"),
        (#""\uffff\uFFFE""#, "\u{FFFF}\u{FFFE}"),
        (#""\ud800\udc00\udbff\udfff""#, "\u{10000}\u{10FFFF}"), (#""a\\u0062""#, "a\\u0062"),
    ])
    func `every escape is decoded`(text: String, value: String) throws {
        let fields = try fields("{\"v\":\(text),\(text):true}")
        #expect(try fields.string("v").map { Array($0.utf8) } == Array(value.utf8))
        #expect(try fields.bool(value) == true)
    }

    @Test(arguments: [
        ("[]", []), ("[ ]", []), ("[{}]", ["{}"]),
        (#"[ {"a":[1,2]} , {"b":"],["}]"#, [#"{"a":[1,2]}"#, #"{"b":"],["}"#]),
        (#"[1,"two",null]"#, ["1", #""two""#, "null"]),
    ])
    func `an array is returned as the bytes of its elements`(text: String, elements: [String]) throws {
        let fields = try fields("{\"v\": \(text) }")
        #expect(try fields.objects("v")?.map { String(decoding: $0, as: UTF8.self) } == elements)
    }

    @Test func `a name is found in any spelling`() throws {
        let fields = try fields(#"{"t\u0065xt":"a","größe":1,"\ud83d\ude00":"b","n":null}"#)
        #expect(try fields.string("text") == "a")
        #expect(try fields.unsigned("größe") == 1)
        #expect(try fields.string("😀") == "b")
        #expect(fields.raw("n") == nil)
        #expect(fields.raw("t") == nil)
        #expect(fields.keys == ["text", "größe", "😀", "n"])
        #expect(fields.count == 4)
    }

    @Test(arguments: [
        #"{"a":1,"b":2,"a":3}"#, #"{"a":1,"\u0061":2}"#, #"{"é":1,"\u00e9":2}"#, #"{"é":1,"e\u0301":2}"#,
        #"{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"\u0061":1}"#,
    ])
    func `a duplicate name is refused in any spelling`(text: String) {
        #expect(throws: JSONSyntaxError.self) { try fields(text) }
    }

    @Test func `members are found in both small and large objects`() throws {
        for count in [1, 7, 8, 9, 10, 100] {
            let text = "{" + (0..<count).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}"
            let fields = try fields(text)
            for number in 0..<count { #expect(try fields.unsigned("k\(number)") == UInt64(number)) }
            #expect(fields.keys == (0..<count).map { "k\($0)" })
        }
    }

    @Test(arguments: [
        ("", 0), (" \r\n ", 0), ("{}", 1), ("{}\n{}", 2), ("{}{}", 2), ("\n{\"a\":{}}\n\n{} \n", 2),
    ])
    func `a sequence is read object by object`(text: String, count: Int) throws {
        #expect(try JSONFields.sequence(Array(text.utf8), limit: 2).count == count)
    }

    @Test(arguments: ["{},{}", "[{}]", "{}1", "{} {", "{}\n{\"a\":1,\"a\":2}", "null", "{}\u{0}"])
    func `a sequence with one invalid object is refused as a whole`(text: String) {
        #expect(throws: JSONSyntaxError.self) { try JSONFields.sequence(Array(text.utf8), limit: 9) }
    }

    @Test func `a sequence has a maximum size`() throws {
        let three = Array("{}\n{}\n{}".utf8)
        #expect(try JSONFields.sequence(three, limit: 3).count == 3)
        #expect(throws: JSONSyntaxError.tooMany(limit: 2)) { try JSONFields.sequence(three, limit: 2) }
    }
}
