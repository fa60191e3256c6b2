import ChatModel
import Testing

@Suite struct ConnectBudgetTests {
    /// Issue 20, N05: connects were charged to nobody.
    @Test func `connects are charged per channel, and refused once the user's budget is spent`() {
        let bench = Bench(deliveriesWaiting: 100_000)
        bench.engine.change(UpsertUser(id: ann), as: .server, answerTo: bench.address(1))
        for part in 0..<10 {
            let channels = (0..<50).map {
                ChannelUpsert(id: ChannelID("c\(part)-\($0)") ?? general, userIDs: [ann])
            }
            bench.engine.change(UpsertChannels(channels: channels), as: .server, answerTo: bench.address(1))
        }
        bench.settle()
        bench.log.sync()
        _ = bench.ear.news()
        for command in 1...400 as ClosedRange<UInt32> { bench.attach(ann, command) }
        bench.attach(bob, 1_000)
        bench.log.sync()
        let news = bench.ear.news()
        // Half a second of engine time is available immediately.
        let attached = news.filter { $0.hasPrefix("attached") && $0.contains(" ann ") }.count
        #expect((100...200).contains(attached), "\(attached)")
        #expect(news.filter { $0.hasPrefix("answer") && $0.hasSuffix(" 111") }.count == 400 - attached)
        #expect(news.contains { $0.hasPrefix("attached 1000 bob") }, "others are charged for their own")
    }
}
