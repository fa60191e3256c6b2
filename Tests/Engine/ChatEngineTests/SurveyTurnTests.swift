import ChatDomain
import ChatModel
import Testing

@testable import ChatEngine

/// Commands that query all of their user's channels while others write.
@Suite struct SurveyTurnTests {
    /// Returns a bench with ann and bob in 700 channels, each with a message by bob that ann has not read.
    private func bench() -> Bench {
        let bench = Bench(commandsWaiting: 100_000, deliveriesWaiting: 100_000)
        bench.createChannels(hundreds: 7)
        for hundred in 0..<7 {
            for number in 0..<100 {
                let channel = ChannelID("c\(hundred)-\(number)") ?? general
                bench.engine.change(
                    SendMessage(channelID: channel, text: "hello"), as: .user(bob), answerTo: bench.address(1))
            }
            bench.settle()
            bench.log.sync()
        }
        let refused = bench.ear.news().filter { $0.hasPrefix("answer 1 ") }
        #expect(refused == [])
        #expect(bench.engine.state.unreadTotals(of: ann).unreadCount == 700)
        return bench
    }

    /// Returns the replies to a command by ann and a later one by bob, in order.
    private func answers(_ post: (Bench) -> Void) -> [String] {
        let bench = bench()
        bench.engine.queue.enter {
            // Both are queued before the first turn.
            post(bench)
            bench.engine.change(
                SendMessage(channelID: "c0-1", text: "mine"), as: .user(bob),
                answerTo: bench.address(10))
        }
        bench.settle()
        bench.log.sync()
        return bench.ear.news().filter { $0.hasPrefix("answer") }
    }

    @Test func `scanning one user's channels does not delay other users`() {
        #expect(
            answers { bench in
                bench.engine.change(MarkAllRead(), as: .user(ann), answerTo: bench.address(9))
            } == ["answer 10", "answer 9"])
        #expect(
            answers { bench in
                bench.engine.query(GetUnreadCounts(), as: .user(ann), answerTo: bench.address(9))
            } == ["answer 10", "answer 9"])
    }

    @Test func `a scan that the end of the node's term interrupts is carried out by the next writer`() {
        let bench = bench()
        let port = RecordedPort()
        bench.engine.join(port)
        bench.engine.lead(term: 1)
        bench.settle()
        bench.engine.queue.enter {
            bench.engine.change(MarkAllRead(), as: .user(ann), answerTo: bench.address(9))
            // After the first turn of the scan.
            bench.engine.post { $0.cluster?.isWriter = false }
        }
        bench.settle()
        bench.log.sync()
        #expect(bench.ear.news().filter { $0.hasPrefix("answer") } == [])
        #expect(port.relayed.withLock { $0.map(\.method) } == [MarkAllRead.method])
    }

    @Test func `marking a message as unread returns the totals at the time of execution`() throws {
        let bench = bench()
        let channel: ChannelID = "c0-1"
        bench.change(MarkRead(channelID: channel), as: ann)
        let message = try #require(
            bench.log.frames.joined().compactMap { record in
                if case .messageSent(let sent) = record.event, sent.channel == channel { sent.id } else { nil }
            }.last)
        bench.log.sync()
        bench.engine.queue.enter {
            bench.engine.change(
                MarkUnread(channelID: channel, messageID: message), as: .user(ann), answerTo: bench.address(9))
            for number in 0..<20 {
                bench.engine.change(
                    SendMessage(channelID: ChannelID("c\(number % 7)-\(number)") ?? general, text: "more"),
                    as: .user(bob), answerTo: bench.address(10))
            }
        }
        bench.settle()
        let totals = bench.engine.state.unreadTotals(of: ann)
        #expect(totals.unreadCount == 720)
        #expect(totals.unreadChannelCount == 700)
        bench.log.sync()
        let records = Array(bench.log.frames.joined())
        let marked = try #require(
            records.firstIndex { if case .unreadMarked = $0.event { true } else { false } })
        guard case .unreadMarked(_, _, let told) = records[marked].event else { return }
        let later = records[marked...].count { if case .messageSent = $0.event { true } else { false } }
        #expect(told?.unreadCount == 720 - later)
        #expect(later < 20)
    }
}
