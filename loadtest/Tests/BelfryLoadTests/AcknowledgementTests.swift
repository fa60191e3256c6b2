import Testing

@testable import BelfryLoad

struct AcknowledgementTests {
    private func acknowledgement(_ json: String) -> Acknowledgement? { Acknowledgement(in: Array(json.utf8)) }

    @Test func `a reply gives the message and its offset`() {
        let json = #"{"message":{"channel_id":"c","client_id":"3-17","created_at":5,"id":"x","offset":42,"text":"y"}}"#
        let found = acknowledgement(json)
        #expect(found?.clientID == "3-17")
        #expect(found?.offset == 42)
    }

    @Test(arguments: [
        "", "{}", #"{"message":{"channel_id":"c","client_id":"3-17"}}"#, #"{"message":{"id":"x","offset":42}}"#,
        #"{"message":{"channel_id":"c","client_id":"3-17","offset":0}}"#,
        #"{"message":{"channel_id":"c","client_id":"3-17","offset":x}}"#,
        #"{"message":{"channel_id":"c","client_id":"3-17"#,
    ])
    func `any other reply is refused`(json: String) {
        #expect(acknowledgement(json) == nil)
    }

    @Test(
        arguments: [
            ([7, 5, 6, 8], 0, 0), ([7, 5, 8], 0, 1), ([7, 5, 6, 6], 1, 0), ([7, 5, 5], 1, 1), ([], 0, 0), ([3], 0, 0),
        ] as [([UInt64], Int, Int)])
    func `duplicate and unused offsets are counted`(offsets: [UInt64], shared: Int, empty: Int) {
        let places = IngestLedger.Places(offsets)
        #expect(places.shared == shared)
        #expect(places.empty == empty)
    }
}
