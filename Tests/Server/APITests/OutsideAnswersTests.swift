import API
import ChatEngine
import ChatModel
import Testing

private struct Letters: DeadLetterPort {
    var replayed: Int? = 3

    func deadLetters(
        of webhook: String, after serial: UInt64, limit: Int,
        _ done: @escaping @Sendable ([DeadLetter], UInt64?) -> Void
    ) {
        done([DeadLetter(eventID: "e1", type: "message.new", at: 1, attempts: 20, status: 500)], 7)
    }

    func replay(_ ids: [String]?, of webhook: String, _ done: @escaping @Sendable (Int?) -> Void) {
        done(replayed)
    }
}

/// For tokens, see `TokenCreationTests` and `GuestCreationTests`.
@Suite struct OutsideAnswersTests {
    @Test func `dead letters are listed and replayed for an existing webhook, and for no other id`() {
        let desk = Desk()
        let table = CommandTable(engine: desk.engine(), deadLetters: Letters())
        func answer(_ method: String) -> String {
            #expect(table.refusal(method, #"{"id":"a"}"#, by: .server) == nil)
            return desk.next()
        }
        #expect(answer("webhook.dead_letters") == "1000" && answer("webhook.replay") == "1000")
        let webhook = #""url":"https://a.example","events":["push"],"secret":"0123456789abcdef01234567""#
        #expect(table.refusal("webhook.set", #"{"id":"a",\#(webhook)}"#, by: .server) == nil)
        #expect(desk.next().contains("a.example"))
        let page = answer("webhook.dead_letters")
        #expect(page.contains(#""event_id":"e1""#) && page.contains(#""next":"#))
        #expect(answer("webhook.replay") == #"{"replayed":3}"#)
    }

    @Test func `a replay whose outcome is unknown is answered with 1041, if the webhook exists`() {
        let desk = Desk()
        let table = CommandTable(engine: desk.engine(), deadLetters: Letters(replayed: nil))
        #expect(table.refusal("webhook.replay", #"{"id":"a"}"#, by: .server) == nil)
        #expect(desk.next() == "1000")
        let webhook = #""url":"https://a.example","events":["push"],"secret":"0123456789abcdef01234567""#
        #expect(table.refusal("webhook.set", #"{"id":"a",\#(webhook)}"#, by: .server) == nil)
        #expect(desk.next().contains("a.example"))
        #expect(table.refusal("webhook.replay", #"{"id":"a"}"#, by: .server) == nil)
        #expect(desk.next() == "1041")
    }

    @Test func `without webhooks on this server nothing is listed or replayed`() {
        let desk = Desk()
        let table = desk.table()
        for method in ["webhook.dead_letters", "webhook.replay"] {
            #expect(table.refusal(method, #"{"id":"a"}"#, by: .server) == nil)
            #expect(desk.next() == "1000")
        }
    }
}
