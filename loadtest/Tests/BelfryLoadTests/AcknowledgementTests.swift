import Testing

@testable import BelfryLoad

struct AcknowledgementTests {
    private func acknowledgement(_ json: String) -> Acknowledgement? { Acknowledgement(in: Array(json.utf8)) }

    @Test func `an answer names the message and its place`() {
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
    func `another answer is none`(json: String) {
        #expect(acknowledgement(json) == nil)
    }

    @Test func `every acknowledged message has a place of its own, without a gap`() {
        #expect(SendLedger.problems(offsets: [7, 5, 6, 8], failures: 0) == [])
        #expect(SendLedger.problems(offsets: [7, 5, 8], failures: 1) == [])
        #expect(SendLedger.problems(offsets: [7, 5, 8], failures: 0).count == 1)
        #expect(SendLedger.problems(offsets: [7, 5, 6, 6], failures: 0).count == 1)
        #expect(SendLedger.problems(offsets: [7, 5, 5], failures: 0).count == 2)
        #expect(SendLedger.problems(offsets: [], failures: 0).count == 1)
    }

    @Test func `the times of an open loop do not drift`() {
        #expect(Schedule.intended(0, rate: 3) == 0)
        #expect(Schedule.intended(3, rate: 3) == 1_000_000_000)
        #expect(Schedule.intended(30_001, rate: 3) == 10_000_333_333_333)
    }
}
