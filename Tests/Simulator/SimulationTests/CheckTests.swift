import ChatDomain
import ChatModel
import Foundation
import Simulation
import Testing
import WireProtocol

/// Tests the checkers: a correct history with one change is detected as the right kind of violation.
@Suite struct CheckTests {
    /// A history with crashes, recoveries and reactions.
    private static let sound = {
        var options = SimulatorOptions()
        options.eventsPerRoom = 1_000
        options.steps = 100
        return Simulator(seed: 31, options: options).run()
    }()

    private static func broken(_ change: (inout [History.Moment]) throws -> Void) throws -> Set<Violation.Guarantee> {
        var history = sound.history
        try change(&history.moments)
        return Set(history.violations(forgetsEvents: false).map(\.guarantee))
    }

    @Test func `a correct history passes every check`() throws {
        #expect(try Self.broken { _ in } == [])
        #expect(!Self.sound.options.forgetsEvents)
        #expect(Self.sound.history.moments.count > 400)
    }

    // MARK: The journal

    @Test func `a missing durable frame is reported as lost`() throws {
        let guarantees = try Self.broken { moments in
            try moments.changeLast { moment in
                guard case .began(let frames, let wasUnclean, let cut) = moment, frames.count > 10 else { return false }
                moment = .began(Array(frames.dropLast()), wasUnclean: wasUnclean, cutBytes: cut)
                return true
            }
        }
        #expect(guarantees.contains(.nothingLost))
    }

    @Test func `a changed or duplicated frame is detected`() throws {
        for change in [{ $0[4] = $0[5] }, { $0.insert($0[4], at: 4) }, { $0.swapAt(3, 4) }]
            as [(inout [History.Frame]) -> Void]
        {
            let guarantees = try Self.broken { moments in
                try moments.changeLast { moment in
                    guard case .began(var frames, let wasUnclean, let cut) = moment, frames.count > 10 else {
                        return false
                    }
                    change(&frames)
                    moment = .began(frames, wasUnclean: wasUnclean, cutBytes: cut)
                    return true
                }
            }
            #expect(guarantees.contains(.nothingLost))
        }
    }

    @Test func `a cleanly closed journal is recognized as such`() throws {
        let guarantees = try Self.broken { moments in
            try moments.changeLast { moment in
                guard case .began(let frames, _, let cut) = moment else { return false }
                moment = .began(frames, wasUnclean: true, cutBytes: cut)
                return true
            }
        }
        #expect(guarantees == [.nothingLost])
    }

    @Test func `damage that changes the history or silently truncates it is detected`() throws {
        for change in [
            { frames in (frames.dropLast(3), 0) }, { frames in (frames.dropLast(3), 9) },
            { frames in (frames.dropFirst(), 9) },
        ] as [([History.Frame]) -> (ArraySlice<History.Frame>, Int)] {
            let guarantees = try Self.broken { moments in
                let place = try moments.lastPlace { if case .began = $0 { true } else { false } }
                guard case .began(let frames, _, _) = moments[place] else { return }
                let (found, cutBytes) = change(frames)
                moments.append(.foundDamaged(Array(found), cutBytes: cutBytes))
            }
            #expect(guarantees == [.damageReported])
        }
    }

    @Test func `a server that refuses to start is detected`() throws {
        #expect(try Self.broken { $0.append(.refused("damaged")) } == [.startsAgain])
    }

    // MARK: Rooms

    @Test func `a skipped or reused offset is detected`() throws {
        for difference in [-1, 1] {
            let guarantees = try Self.broken { moments in
                try moments.changeLast { moment in
                    guard case .appended(let frame) = moment, let record = frame.records.first,
                        let position = record.positions.first, position.offset > 3
                    else { return false }
                    let offset = difference > 0 ? position.offset + 1 : position.offset - 1
                    let moved = Record(
                        event: record.event, at: record.at, by: record.by,
                        positions: [RoomOffset(room: position.room, offset: offset)]
                            + record.positions.dropFirst())
                    moment = .appended(
                        History.Frame(sequence: frame.sequence, records: [moved] + frame.records.dropFirst()))
                    return true
                }
            }
            #expect(guarantees.contains(.denseOffsets))
        }
    }

    // MARK: Hearing

    @Test func `an event that is missed or received twice is detected`() throws {
        let lost = try Self.broken { moments in
            moments.remove(
                at: try moments.lastPlaceBeforeQuiet { moment in
                    if case .eventReceived(let client, _, _) = moment { client } else { nil }
                })
        }
        #expect(lost == [.contiguousSlices])
        let doubled = try Self.broken { moments in
            let place = try moments.lastPlace { if case .eventReceived = $0 { true } else { false } }
            moments.insert(moments[place], at: place)
        }
        #expect(doubled == [.contiguousSlices])
    }

    @Test func `an event received before it is durable is reported as too early`() throws {
        let guarantees = try Self.broken { moments in
            moments.removeAll { if case .synced = $0 { true } else { false } }
        }
        #expect(guarantees.contains(.durableFirst))
    }

    /// The violation is detected however late the event is received.
    @Test func `an event sent by the server before it was durable is detected`() throws {
        let guarantees = try Self.broken { moments in
            let place = try moments.lastPlace { if case .eventReceived = $0 { true } else { false } }
            guard case .eventReceived(let client, _, _) = moments[place] else { return }
            moments.insert(.inputSent(client: client, sentAt: 0), at: place)
        }
        #expect(guarantees.contains(.durableFirst))
    }

    @Test func `receiving different events at the same offset is detected`() throws {
        let guarantees = try Self.broken { moments in
            // Another client has also received it.
            let place = try moments.lastPlace { moment in
                guard case .eventReceived(let client, let room, let event) = moment else { return false }
                return moments.contains { other in
                    if case .eventReceived(let second, room, event) = other { second != client } else { false }
                }
            }
            guard case .eventReceived(let client, let room, let event) = moments[place] else { return }
            moments[place] = .eventReceived(
                client: client, room, History.ReceivedEvent(offset: event.offset, data: event.data + [32]))
        }
        #expect(guarantees == [.denseOffsets])
    }

    /// Issue 20, B: recovery returned deleted content.
    @Test func `recovering deleted content, or a tombstone for undeleted content, is detected`() throws {
        func guarantees(
            _ change: (inout [History.ReceivedEvent], Int, History.ReceivedEvent) -> Void
        ) throws -> Set<Violation.Guarantee> {
            var history = DeletionHistory.history
            let (place, index, whole) = try DeletionHistory.tombstone(in: history.moments)
            guard
                case .subscribed(let client, let user, let room, let position, .recovered(let from, var events)) =
                    history.moments[place]
            else { return [] }
            change(&events, index, whole)
            history.moments[place] = .subscribed(
                client: client, user: user, room, position, .recovered(from: from, events))
            return Set(history.violations(forgetsEvents: false).map(\.guarantee))
        }
        func changed(_ event: History.ReceivedEvent, _ old: String, _ new: String) -> History.ReceivedEvent {
            let text = String(decoding: event.data, as: UTF8.self).replacingOccurrences(of: old, with: new)
            return History.ReceivedEvent(offset: event.offset, data: Array(text.utf8))
        }
        #expect(try guarantees { _, _, _ in } == [])
        #expect(try guarantees { events, index, whole in events[index] = whole } == [.recovery])
        #expect(
            try guarantees { events, index, _ in
                events[index] = changed(events[index], #""deleted_at":"#, #""text":"x","deleted_at":"#)
            } == [.recovery], "a tombstone has no content")
        #expect(
            try guarantees { events, index, _ in
                for type in ["message.new", "message.updated", "thread.reply"] {
                    events[index] = changed(events[index], #""type":"\#(type)""#, #""type":"typing.started""#)
                }
            } == [.denseOffsets], "everything else stays")
        let sound = try Self.broken { moments in
            try moments.changeLast { moment in
                guard case .eventReceived(let client, let room, let event) = moment,
                    DeletionHistory.tells(event, "text")
                else {
                    return false
                }
                let buried = changed(event, #""created_at":"#, #""deleted_at":1,"created_at":"#)
                moment = .eventReceived(client: client, room, buried)
                return true
            }
        }
        #expect(sound.contains(.recovery), "what nobody deleted is no tombstone")
    }

    @Test func `a recovery that omits something, or is refused needlessly, is detected`() throws {
        for change in [
            { (from: RoomPosition, events: [History.ReceivedEvent]) in
                .recovered(from: from, Array(events.dropFirst()))
            },
            { (from: RoomPosition, events: [History.ReceivedEvent]) in
                .recovered(from: from, Array(events.dropLast()))
            },
            { (from: RoomPosition, _: [History.ReceivedEvent]) in .impossible(from: from) },
        ] as [(RoomPosition, [History.ReceivedEvent]) -> History.Recovery] {
            let guarantees = try Self.broken { moments in
                try moments.changeLast { moment in
                    guard case .subscribed(let client, let user, let room, let position, let recovery) = moment,
                        case .recovered(let from, let events) = recovery, !events.isEmpty
                    else { return false }
                    moment = .subscribed(client: client, user: user, room, position, change(from, events))
                    return true
                }
            }
            #expect(guarantees == [.recovery])
        }
    }

    // MARK: Answers

    @Test func `a send answered with a different message is detected`() throws {
        for change in [
            { $0.offset += 1 }, { $0.id = $0.id.successor },
        ] as [(inout Message) -> Void] {
            let guarantees = try Self.broken { moments in
                let sends = moments.compactMap { moment -> (Int, UInt32)? in
                    guard case .asked(let client, _, let command, let request) = moment, request is SendMessage else {
                        return nil
                    }
                    return (client, command)
                }
                try moments.changeLast { moment in
                    guard case .answered(let client, let command, .done(var message?)) = moment,
                        sends.contains(where: { $0 == (client, command) })
                    else { return false }
                    change(&message)
                    moment = .answered(client: client, command: command, .done(message: message))
                    return true
                }
            }
            #expect(!guarantees.isEmpty && guarantees.isSubset(of: [.answersHold, .nothingLost]))
        }
    }

    @Test func `a response sent before it was durable is detected`() throws {
        let guarantees = try Self.broken { moments in
            let place = try moments.lastPlace { if case .answered(_, _, .done(_?)) = $0 { true } else { false } }
            guard case .answered(let client, _, _) = moments[place] else { return }
            moments.insert(.inputSent(client: client, sentAt: 0), at: place)
        }
        #expect(guarantees.contains(.durableFirst))
    }

    @Test func `a command that is never answered, or answered twice, is detected`() throws {
        let never = try Self.broken { moments in
            moments.remove(
                at: try moments.lastPlaceBeforeQuiet {
                    if case .answered(let client, _, .refused) = $0 { client } else { nil }
                })
        }
        #expect(never == [.protocolFollowed])
        let twice = try Self.broken { moments in
            let place = try moments.lastPlace { if case .answered(_, _, .refused) = $0 { true } else { false } }
            moments.insert(moments[place], at: place)
        }
        #expect(twice == [.protocolFollowed])
    }

    @Test func `an invalid frame to a client, or disconnecting it for a fault it did not commit, is detected`() throws {
        #expect(try Self.broken { $0.append(.protocolViolated(client: 1, "opcode 3")) } == [.protocolFollowed])
        for (code, isFine) in [(3008, true), (3501, false), (1007, false)] {
            let guarantees = try Self.broken { $0.append(.line(client: 1, .closed(code: code))) }
            #expect(guarantees == (isFine ? [] : [.protocolFollowed]))
        }
    }

    @Test func `a message that its sender cannot read back is detected`() throws {
        let guarantees = try Self.broken { moments in
            let place = try moments.lastPlace { if case .answered(_, _, .done(_?)) = $0 { true } else { false } }
            guard case .answered(let client, let command, .done(let message?)) = moments[place],
                let user = message.user?.id
            else { return }
            let get = GetMessage(channelID: message.channelID, messageID: message.id)
            moments.insert(.asked(client: client, user: user, command: command + 1_000, get), at: place + 1)
            moments.insert(.answered(client: client, command: command + 1_000, .refused(code: 1000)), at: place + 2)
        }
        #expect(guarantees == [.answersHold])
    }

    @Test func `a send recorded twice is detected`() throws {
        let guarantees = try Self.broken { moments in
            let place = try moments.lastPlace { moment in
                guard case .appended(let frame) = moment, case .messageSent = frame.records.first?.event else {
                    return false
                }
                return true
            }
            guard case .appended(let frame) = moments[place], let record = frame.records.first,
                case .messageSent(var sent) = record.event, let position = record.positions.first
            else { return }
            sent.id = sent.id.successor
            let again = Record(
                event: .messageSent(sent), at: record.at, by: record.by,
                positions: [RoomOffset(room: position.room, offset: position.offset + 1)])
            moments[place] = .appended(History.Frame(sequence: frame.sequence, records: frame.records + [again]))
        }
        #expect(guarantees.contains(.onceOnly))
    }

    // MARK: State

    @Test func `a state that differs from the journal is detected`() throws {
        for change in [
            { view in view.channels.indices.contains { view.channels[$0].messages.popLast() != nil } },
            { view in view.channels.indices.contains { view.channels[$0].members.popLast() != nil } },
            { view in view.channels.popLast() != nil },
            { view in
                for channel in view.channels.indices {
                    for message in view.channels[channel].messages.indices
                    where view.channels[channel].messages[message].reactions?.isEmpty == false {
                        view.channels[channel].messages[message].reactions = nil
                        return true
                    }
                }
                return false
            },
        ] as [(inout View) -> Bool] {
            let guarantees = try Self.broken { moments in
                try moments.changeLast { moment in
                    guard case .reported(var view) = moment, change(&view) else { return false }
                    moment = .reported(view)
                    return true
                }
            }
            #expect(guarantees == [.replay])
        }
    }

    @Test func `a chat that answers differently after a restart is detected`() throws {
        let guarantees = try Self.broken { moments in
            try moments.changeLast { moment in
                guard case .reported(var view) = moment else { return false }
                view.answers[0].append(32)
                moment = .reported(view)
                return true
            }
        }
        #expect(guarantees == [.replay])
    }
}
