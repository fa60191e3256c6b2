import ChatDomain
import ChatModel
import Gateway
import Testing

@testable import ChatEngine

/// A connection whose rooms are counted over several turns while others write.
@Suite struct ArrivalTurnTests {
    @Test func `a connection that enters many channels neither misses nor repeats concurrent events`() {
        let bench = Bench(commandsWaiting: 100_000, deliveriesWaiting: 100_000)
        bench.createChannels(hundreds: 7)
        bench.attach(bob)
        bench.log.sync()
        _ = bench.ear.news()
        bench.engine.queue.enter {
            // These are all queued before the connection's first turn.
            bench.engine.attach(
                AttachRequest(
                    connection: ConnectionID(loop: 0, serial: 1), command: 9,
                    identity: Identity(user: ann, validFor: nil, issuedAt: nil),
                    subscribe: .joined, positions: [:]))
            for number in 0..<300 {
                let channel = ChannelID("c\(number % 7)-\(number % 3)") ?? general
                bench.engine.change(
                    SendMessage(channelID: channel, text: "\(number)"), as: .server, answerTo: bench.address(10))
            }
        }
        bench.settle()
        bench.engine.change(
            SendMessage(channelID: "c0-0", text: "last"), as: .server,
            answerTo: bench.address(10))
        bench.settle()
        bench.log.sync()
        let news = bench.ear.news()
        let place = news.firstIndex { $0.hasPrefix("attached 9") } ?? 0
        let sent = news.indices.filter { news[$0].hasSuffix("message.new") }
        #expect(sent.count == 301 && sent.contains { $0 < place } && sent.contains { $0 > place })
        var tops: [String: Int] = [:]
        for word in news[place].split(separator: " ").dropFirst(3) {
            let parts = word.split(separator: "@")
            tops[String(parts[0])] = Int(parts[1])
        }
        #expect(tops.count == 701)
        for index in sent {
            let words = news[index].split(separator: " ")
            let (room, offset) = (String(words[0]), Int(words[1]) ?? 0)
            #expect((offset <= tops[room] ?? 0) == (index < place), "\(news[index])")
        }
    }
}

/// A loop may run the first turn, which must not block it.
extension ArrivalTurnTests {
    @Test(arguments: [100, 101])
    func `a connection of a user in more than a hundred channels does nothing in its first turn`(channels: Int) {
        let bench = Bench(commandsWaiting: 100_000, deliveriesWaiting: 100_000)
        bench.createChannels(hundreds: 1)
        if channels > 100 {
            bench.engine.change(
                CreateChannel(id: "one-more", userIDs: [ann]), as: .server,
                answerTo: bench.address(1))
            bench.settle()
        }
        bench.log.sync()
        _ = bench.ear.news()
        bench.engine.queue.enter {
            bench.engine.attach(
                AttachRequest(
                    connection: ConnectionID(loop: 0, serial: 1), command: 9,
                    identity: Identity(user: ann, validFor: nil, issuedAt: nil),
                    subscribe: .joined, positions: [:]))
            bench.engine.query(GetUser(userID: ann), as: .user(bob), answerTo: bench.address(10))
        }
        bench.settle()
        bench.log.sync()
        let order = bench.ear.news().compactMap { line in
            ["attached 9", "answer 10"].first { line.hasPrefix($0) }
        }
        #expect(order == (channels > 100 ? ["answer 10", "attached 9"] : ["attached 9", "answer 10"]))
    }
}

extension Bench {
    /// Creates channels of ann and bob: "c0-0" to "c6-99" for seven hundreds.
    func createChannels(hundreds: Int) {
        for user in [ann, bob] { engine.change(UpsertUser(id: user), as: .server, answerTo: address(1)) }
        for hundred in 0..<hundreds {
            for half in [0..<50, 50..<100] {
                let channels = half.map {
                    ChannelUpsert(id: ChannelID("c\(hundred)-\($0)") ?? general, userIDs: [ann, bob])
                }
                engine.change(UpsertChannels(channels: channels), as: .server, answerTo: address(1))
            }
        }
        settle()
    }
}
