import ChatDomain
import ChatEngine
import ChatModel
import Gateway
import Testing
import WireProtocol

extension ChatEngineTests {
    @Test func `an engine that begins from the same log is in the same chat`() {
        let first = begin()
        for number in 0..<5 { first.change(SendMessage(channelID: general, text: "m\(number)"), as: ann) }
        let second = Bench(log: HandDrivenLog(frames: first.log.frames))
        first.log.sync()
        _ = first.ear.news()
        for bench in [first, second] {
            bench.attach(
                bob, 3, from: [.channel(general): StreamPosition(offset: 7, epoch: bench.epoch(of: .channel(general)))])
            bench.change(hello, as: ann, 4)
            bench.log.sync()
            #expect(
                bench.ear.news() == [
                    "attached 3 bob #bob@1 general@7 recovered []", "general 8 message.new", "answer 4",
                ])
        }
    }
}
