#if Cluster
import Testing

@testable import NATS

@Suite struct StreamTimeTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-02T00:00:01.5Z", 86_401_500),
            ("2024-02-29T23:59:59.999999999Z", 1_709_251_199_999), ("2024-03-01T00:00:00.001Z", 1_709_251_200_001),
            ("2026-11-28T00:48:37.12Z", 1_795_826_917_120), ("2000-12-31T12:30:15.1234Z", 978_265_815_123),
        ] as [(String, Int64)])
    func `a time is read to the millisecond`(text: String, milliseconds: Int64) {
        #expect(StreamTime.milliseconds(text) == milliseconds)
    }

    @Test(arguments: [
        "", "2024", "2024-01-01T00:00:00", "2024-01-01T00:00:00+01:00", "2024-13-01T00:00:00Z", "2024-01-00T00:00:00Z",
        "2024-01-01 00:00:00Z", "2024-01-01T00:00:0aZ", "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00.1xZ",
        "2024-01-01T00:00:00,5Z", "2024/01/01T00:00:00Z", "2024-01-01T00:00:00.1234567890123456Z",
    ])
    func `other texts are no times`(text: String) { #expect(StreamTime.milliseconds(text) == nil) }
}
#endif
