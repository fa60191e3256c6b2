import ChatDomain
import ChatEngine
import ChatModel
import CoreMetrics
import Gateway
import Testing
import WireProtocol

extension ChatEngineTests {
    @Test func `an engine started from the same log restores the same chat`() {
        let first = begin()
        for number in 0..<5 { first.change(SendMessage(channelID: general, text: "m\(number)"), as: ann) }
        let second = Bench(log: HandDrivenLog(frames: first.log.frames))
        first.log.sync()
        _ = first.ear.news()
        for bench in [first, second] {
            bench.attach(
                bob, 3, from: [.channel(general): RoomPosition(offset: 7, epoch: bench.epoch(of: .channel(general)))])
            bench.change(hello, as: ann, 4)
            bench.log.sync()
            #expect(
                bench.ear.news() == [
                    "attached 3 bob #bob@1 general@7 recovered []", "general 8 message.new", "answer 4",
                ])
        }
    }

    @Test func `a client that was disconnected during a restart receives exactly what it missed`() {
        let first = begin()
        for number in 0..<5 { first.change(SendMessage(channelID: general, text: "m\(number)"), as: ann) }
        let second = Bench(log: HandDrivenLog(frames: first.log.frames))
        let epoch = second.epoch(of: .channel(general))
        second.attach(bob, 3, from: [.channel(general): RoomPosition(offset: 5, epoch: epoch)])
        second.log.sync()
        #expect(second.ear.news() == ["attached 3 bob #bob@1 general@7 recovered [6, 7]"])
    }

    @Test func `records whose offsets are not consecutive are refused`() {
        let first = begin()
        for number in 0..<5 { first.change(SendMessage(channelID: general, text: "m\(number)"), as: ann) }
        var frames = first.log.frames
        frames.remove(at: frames.count - 3)
        let second = Bench(log: HandDrivenLog())
        let engine = ChatEngine(
            log: HandDrivenLog(frames: frames), publisher: second.publisher, ports: second.ears,
            settings: ChatSettings(), metrics: NOOPMetricsHandler.instance, clock: { 0 })
        #expect(throws: (any Error).self) { try engine.restore() }
    }
}
