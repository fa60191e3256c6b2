import ChatDomain
import Testing

@Suite struct PercentEncodingTests {
    @Test(arguments: ["", "plain-text_1.2~", "#ann ä+%/\\\u{0}", "日本 🙂"])
    func `escaped text is decoded`(text: String) {
        let escaped = PercentEncoding.encode(text)
        #expect(PercentEncoding.decode(escaped) == text)
        #expect(escaped.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }

    @Test func `hex digits can be upper or lower case, and a plus sign stays a plus sign`() {
        #expect(PercentEncoding.decode("%c3%A4+") == "ä+")
    }

    @Test(arguments: ["%", "a%2", "%zz", "%2%30", "%ff", "%C3"])
    func `an invalid escape or invalid UTF-8 is refused`(text: String) {
        #expect(PercentEncoding.decode(text) == nil)
    }
}
