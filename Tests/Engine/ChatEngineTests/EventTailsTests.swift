import ChatModel
import CoreMetrics
import Testing

@testable import ChatEngine

@Suite(.timeLimit(.minutes(3))) struct EventTailsTests {
    private func tails(_ change: (inout EventTails.Limits) -> Void = { _ in }) -> EventTails {
        var limits = EventTails.Limits()
        change(&limits)
        return EventTails(limits, metrics: NOOPMetricsHandler.instance)
    }

    private func event(
        _ number: UInt64, in name: String = "general", _ type: EventType = .messageNew, bytes: Int = 2
    ) throws -> TappedEvent {
        TappedEvent(
            position: JournalPosition(frame: number, index: 0), room: try #require(Room(name: name)),
            offset: number, type: type, at: 0, json: Array(repeating: 0x20, count: bytes))
    }

    /// Returns what the tail receives until it ends: event numbers, and the number of missed events.
    private func rest(_ tail: EventTail) async throws -> (events: [UInt64], missed: UInt64?) {
        var events: [UInt64] = []
        while true {
            switch try await tail.next() {
            case .event(let event): events.append(event.offset)
            case .missed(let count): return (events, count)
            case .ended: return (events, nil)
            }
        }
    }

    @Test func `a tail receives events from its start to the server's shutdown`() async throws {
        let tails = tails()
        tails.publish(try event(1))
        let tail = try tails.tail(EventTails.Filter())
        for number in 2...4 { tails.publish(try event(UInt64(number))) }
        tails.close()
        let heard = try await rest(tail)
        #expect(heard.events == [2, 3, 4] && heard.missed == nil)
        let late = try await rest(try tails.tail(EventTails.Filter()))
        #expect(late.events.isEmpty && late.missed == nil, "nothing follows the end")
    }

    @Test func `an unread tail stays within its limit and reports how many events it missed`() async throws {
        let tails = tails { $0.waitingEvents = 3 }
        let (slow, other) = (try tails.tail(EventTails.Filter()), try tails.tail(EventTails.Filter()))
        for number in 1...3 { tails.publish(try event(UInt64(number))) }
        let first = try await other.next()
        guard case .event(let event) = first, event.offset == 1 else {
            Issue.record("\(first)")
            return
        }
        for number in 4...10 { tails.publish(try self.event(UInt64(number))) }
        let heard = try await rest(slow)
        #expect(heard.events == [1, 2, 3] && heard.missed == 7)
        let others = try await rest(other)
        #expect(others.events == [2, 3, 4] && others.missed == 6)
    }

    @Test func `the pending bytes of a tail are limited too`() async throws {
        let tails = tails { $0.waitingBytes = 100 }
        let tail = try tails.tail(EventTails.Filter())
        for number in 1...3 { tails.publish(try event(UInt64(number), bytes: 50)) }
        let heard = try await rest(tail)
        #expect(heard.events == [1, 2] && heard.missed == 1)
    }

    @Test func `events that a tail's filter excludes take none of its space`() async throws {
        let tails = tails { $0.waitingEvents = 1 }
        var filter = EventTails.Filter()
        filter.channel = ChannelID("general")
        filter.type = .messageNew
        let tail = try tails.tail(filter)
        tails.publish(try event(1, in: "random"))
        tails.publish(try event(2, .channelUpdated))
        tails.publish(try event(3, in: "#ann"))
        tails.publish(try event(4))
        tails.close()
        let heard = try await rest(tail)
        #expect(heard.events == [4] && heard.missed == nil)
    }

    @Test func `the number of tails is limited, and releasing one makes room`() throws {
        let tails = tails { $0.tails = 2 }
        let first = try tails.tail(EventTails.Filter())
        do {
            let second = try tails.tail(EventTails.Filter())
            #expect(throws: EventTails.Refusal.tooManyTails) { try tails.tail(EventTails.Filter()) }
            withExtendedLifetime(second) {}
        }
        let third = try tails.tail(EventTails.Filter())
        withExtendedLifetime((first, third)) {}
    }
}
