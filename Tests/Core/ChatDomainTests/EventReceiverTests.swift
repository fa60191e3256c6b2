import ChatDomain
import ChatModel
import Testing

/// Checks the receivers of every event type.
@Suite struct EventReceiverTests {
    @Test func `every event type has a row in the table`() {
        #expect(Set(eventRows.map(\.type)) == Set(EventType.allCases))
    }

    @Test(arguments: EventType.allCases, [false, true])
    func `US2 CH8 CH9 ME3 ME4 L2: room events reach members, and inbox events reach only the users concerned`(
        type: EventType, isPublic: Bool
    ) throws {
        for (number, row) in eventRows.filter({ $0.type == type }).enumerated() {
            var scene = try EventScene(isPublic: isPublic)
            scene.chat.forgetWhatWasHeard()
            try row.cause(&scene)
            for user in EventScene.everyone {
                let heard = scene.chat.heard(by: user).filter { $0.event.type == type }
                let kept = heard.filter { $0.offset > 0 }
                let what: Comment = "\(user) in row \(number) of \(type.rawValue)"
                #expect(kept.count { $0.room == .inbox(user) } == row.inbox.count { $0 == user }, what)
                #expect(kept.count { $0.room != .inbox(user) } == row.channel.count { $0 == user }, what)
                #expect(heard.count - kept.count == row.moment.count { $0 == user }, what)
            }
            let isTold = scene.chat.lastEffects.contains { effect in
                guard case .announce(let announcement) = effect else { return false }
                return announcement.event.type == type && !announcement.positions.isEmpty
            }
            #expect(isTold == row.isForWebhooks)
        }
    }

    @Test(arguments: [false, true])
    func `US2 CH8 CH9 ME3: only members receive a room's events, and only the owner an inbox's events`(
        isPublic: Bool
    ) throws {
        let scene = try EventScene(isPublic: isPublic)
        let refusals = EventScene.everyone.map { user -> ErrorCode? in
            do throws(Rejection) {
                if let refusal = scene.chat.state.refusal(of: .user(user), at: scene.chat.now) { throw refusal }
                _ = try scene.chat.state.standing(of: user, in: .channel(general))
                return nil
            } catch {
                return error.code
            }
        }
        let out = isPublic ? ErrorCode.notAMember : .notFound
        #expect(refusals == [nil, nil, .invitedNotMember, out, out, nil, out, .userDeactivated, out])
        for user in EventScene.everyone where user != bob {
            #expect(throws: Rejection(.permissionDenied)) { try scene.chat.state.standing(of: user, in: .inbox(bob)) }
        }
    }
}
