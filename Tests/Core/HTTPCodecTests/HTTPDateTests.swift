import HTTPCodec
import Testing

@Suite struct HTTPDateTests {
    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-1, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"),
            (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (Int64.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] as [(Int64, String)])
    func `a time is written as RFC 9110 requires`(seconds: Int64, text: String) {
        #expect(HTTPDate.text(secondsSince1970: seconds) == text)
    }

    @Test func `the days of a century are consecutive`() {
        var last = ""
        var firstsOfMonth = 0
        for day in 0..<36_525 as Range<Int64> {
            let text = HTTPDate.text(secondsSince1970: day * 86_400)
            #expect(text != last)
            if text.dropFirst(5).hasPrefix("01 ") { firstsOfMonth += 1 }
            last = text
        }
        #expect(firstsOfMonth == 1_200)
        #expect(last == "Tue, 31 Dec 2069 00:00:00 GMT")
    }
}
