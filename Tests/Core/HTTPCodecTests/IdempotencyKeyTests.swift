import HTTPCodec
import Testing

/// draft-ietf-httpapi-idempotency-key-header-07 §2.1, RFC 9651 §3.3.3.
@Suite struct IdempotencyKeyTests {
    @Test(arguments: [
        (#""8e03978e-40d5-43e8-bc93-6894a57f9324""#, "8e03978e-40d5-43e8-bc93-6894a57f9324"), (#""a""#, "a"),
        (#"" ""#, " "), (#""~!{}[]""#, "~!{}[]"), (#""a\"b\\c""#, #"a"b\c"#), (#""\\""#, #"\"#), (#""\"""#, "\""),
    ])
    func `a structured-field string is accepted as a key`(value: String, text: String) throws {
        #expect(IdempotencyKey(value)?.text == text)
        #expect(try IdempotencyKey.parse([value])?.text == text)
    }

    @Test(arguments: [
        "", "a", "8e03978e-40d5-43e8-bc93-6894a57f9324", "\"", #""""#, #""a"#, #"a""#, #"'a'"#, #""a"b""#, #""a\""#,
        #""a\n""#, #""a";b=1"#, #""a", "b""#, "\"\t\"", "\"a\u{7F}\"", "\"\u{E9}\"", ":YQ==:", "1", "?1", #" "a""#,
    ])
    func `a request with any other value is refused rather than executed without a key`(value: String) {
        #expect(IdempotencyKey(value) == nil)
        #expect(throws: IdempotencyKey.Invalid.self) { try IdempotencyKey.parse([value]) }
    }

    @Test(arguments: [(1, true), (255, true), (256, false)])
    func `a key has 1 to 255 characters, and an escaped character counts once`(count: Int, isKey: Bool) {
        #expect((IdempotencyKey("\"" + String(repeating: "a", count: count) + "\"") != nil) == isKey)
        #expect((IdempotencyKey("\"" + String(repeating: "\\\"", count: count) + "\"") != nil) == isKey)
    }

    @Test func `only one Idempotency-Key field is allowed`() throws {
        #expect(try IdempotencyKey.parse([]) == nil)
        #expect(throws: IdempotencyKey.Invalid.self) { try IdempotencyKey.parse([#""a""#, #""a""#]) }
    }
}
