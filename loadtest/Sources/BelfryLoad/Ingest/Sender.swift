import BelfryClient

/// Sends numbered messages and records the replies.
struct Sender: Sendable {
    let client: BelfryClient
    private let number: Int
    private let ledger: IngestLedger
    /// The command before and after the message's number. Nothing in it needs escaping.
    private let head: [UInt8]
    private let tail: [UInt8]

    init(_ number: Int, _ client: BelfryClient, _ plan: IngestPlan, _ ledger: IngestLedger) {
        self.client = client
        self.number = number
        self.ledger = ledger
        head = Array(#"{"channel_id":"\#(plan.channel)","client_id":""#.utf8)
        tail = Array(#"","text":"\#(String(repeating: "x", count: plan.textBytes))"}"#.utf8)
    }

    /// - Parameters:
    ///   - began: The time from which its latency is measured.
    ///   - then: Called on the client's loop; receives whether the message was acknowledged.
    func send(_ sequence: Int, began: UInt64, then: @escaping @Sendable (Bool) -> Void) {
        let clientID = "\(number)-\(sequence)"
        var data: [UInt8] = []
        data.reserveCapacity(head.count + clientID.utf8.count + tail.count)
        data += head
        data += clientID.utf8
        data += tail
        client.rpc(method: SendMessage.method, data: data) { [ledger] result in
            then(ledger.record(result, of: clientID, began: began))
        }
    }

    /// Sends messages, each when the previous one is acknowledged (closed loop). Stops at the first failure.
    func sendEach(from sequence: Int = 0, until end: UInt64, done: @escaping @Sendable () -> Void) {
        let now = Clock.now
        guard now < end else { return done() }
        send(sequence, began: now) { isAcknowledged in
            if isAcknowledged { sendEach(from: sequence + 1, until: end, done: done) } else { done() }
        }
    }
}
