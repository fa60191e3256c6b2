extension Progress {
    /// Tells how far an open loop has come, until then.
    func count(until instant: UInt64, of messages: Int, _ sends: SendTally, delivered: () async -> Int) async {
        while true {
            let now = Clock.now
            guard now < instant else { return }
            let sent = sends.sent.load(ordering: .relaxed)
            if sent > 0 { show("\(sent) of \(messages) sent, \(await delivered()) delivered") }
            try? await Task.sleep(for: .nanoseconds(Int64(min(instant - now, 250_000_000))))
        }
    }
}
