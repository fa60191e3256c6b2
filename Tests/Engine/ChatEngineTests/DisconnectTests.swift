import ChatDomain
import ChatEngine
import ChatModel
import Testing

@Suite struct DisconnectTests {
    @Test func `a disconnected user's connections are closed in order, and the user can reconnect`() {
        let bench = ChatEngineTests().begin()
        let hello = SendMessage(channelID: general, text: "hello")
        bench.change(hello, as: ann, 4)
        bench.engine.change(DisconnectUser(userID: bob), as: .server, answerTo: bench.address(5))
        bench.settle()
        bench.change(hello, as: ann, 6)
        bench.engine.change(DisconnectUser(userID: "nobody"), as: .server, answerTo: bench.address(7))
        bench.attach(bob, 8)
        bench.log.sync()
        #expect(
            bench.ear.news() == [
                "general 3 message.new", "answer 4", "disconnected bob", "answer 5", "general 4 message.new",
                "answer 6", "answer 7 1000", "attached 8 bob #bob@1 general@4",
            ])
    }
}
