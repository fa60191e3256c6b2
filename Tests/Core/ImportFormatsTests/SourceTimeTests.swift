import ImportFormats
import Testing

@Suite struct SourceTimeTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2021-02-17T08:17:49.745857Z", 1_613_549_869_745),
            ("2021-02-17T08:17:49Z", 1_613_549_869_000), ("2021-02-17T09:17:49+01:00", 1_613_549_869_000),
            ("2021-02-17t03:17:49.7-05:00", 1_613_549_869_700), ("2000-02-29T23:59:60Z", 951_868_800_000),
            ("9999-12-31T23:59:59Z", 253_402_300_799_000),
        ] as [(String, Int64)])
    func `PR3: a time of another chat becomes milliseconds`(text: String, milliseconds: Int64) {
        #expect(SourceTime.milliseconds(of: text) == milliseconds)
    }

    @Test(arguments: [
        "", "2021", "2021-02-17", "2021-02-17T08:17:49", "2021-13-17T08:17:49Z", "2021-02-17T24:17:49Z",
        "0001-01-01T00:00:00Z", "1970-01-01T00:00:00+01:00", "2021-02-17T08:17:49Zx", "2021-02-17T08:17:49.Z5",
    ])
    func `PR3: other texts are no times`(text: String) {
        #expect(SourceTime.milliseconds(of: text) == nil)
    }

    @Test func `PR3: numbers are seconds or milliseconds by their size, and never is no time`() {
        #expect(SourceTime.milliseconds(of: 1_613_549_869) == 1_613_549_869_000)
        #expect(SourceTime.milliseconds(of: 1_613_549_869_745) == 1_613_549_869_745)
        for number: Int64? in [nil, 0, -1] { #expect(SourceTime.milliseconds(of: number) == nil) }
    }
}
