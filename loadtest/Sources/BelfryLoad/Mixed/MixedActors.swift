import BelfryClient

/// Performs the activities of the rooms' members, one per intended time.
struct MixedActors: Sendable {
    let plan: MixedPlan
    let people: RoomCrowd
    let tally: MixedTally
    let group: DispatchGroupBox

    /// Performs the next activity in a room. Without a message to reply or react to, it sends one instead.
    func act(_ sequence: Int, _ intended: UInt64, in room: Int, _ random: inout SeededGenerator) {
        let members = plan.seating.members[room]
        let user = members[random.number(below: members.count)]
        let activity = plan.shares.next(&random)
        let place = Place(sequence: sequence, intended: intended, room: room, user: user)
        switch activity {
        case .send: send(place, parent: nil)
        case .reply:
            let recent = tally.state.withLock { $0.book.rooms[room].recent }
            send(place, parent: recent.isEmpty ? nil : recent[random.number(below: recent.count)])
        case .react:
            var draw = random
            let reaction = tally.state.withLock { $0.book.beginReaction(of: user, in: room, &draw) }
            random = draw
            if let (reaction, adds) = reaction { react(place, reaction, adds: adds) } else { send(place, parent: nil) }
        case .read:
            call(MarkRead.method, place, .read, "") { book, json in
                MixedEvents.Answer.readOffset(in: json).map { book.recordMarker(user, in: room, at: $0) }
            }
        case .type: call(StartTyping.method, place, .type, "") { _, _ in () }
        }
    }

    private struct Place {
        var sequence: Int
        var intended: UInt64
        var room: Int
        var user: Int
    }

    private func send(_ place: Place, parent: String?) {
        let (sequence, room) = (place.sequence, place.room)
        let clientID = "\(plan.run)-\(sequence)"
        let text = String(repeating: "x", count: plan.textBytes)
        let command = MessageText.command(text, in: people.rooms[room], clientID: clientID, parent: parent)
        perform(SendMessage.method, command, place, parent == nil ? .send : .reply) { book, json in
            guard let answer = Acknowledgement(in: json), answer.clientID == clientID,
                let id = MixedEvents.Answer.messageID(in: json)
            else { return nil }
            if parent == nil {
                book.recordMessage(sequence, id: id, at: answer.offset, in: room)
            } else {
                book.recordReply(sequence, at: answer.offset, in: room)
            }
            return ()
        }
    }

    private func react(_ place: Place, _ reaction: MixedBook.Reaction, adds: Bool) {
        let fields = #","key":"\#(reaction.key)","message_id":"\#(reaction.message)""#
        let room = place.room
        call(adds ? AddReaction.method : RemoveReaction.method, place, .react, fields) { book, _ in
            book.recordReaction(reaction, adds: adds, in: room)
        }
    }

    /// - Parameter fields: JSON after the channel's id. Nothing in it needs escaping.
    private func call(
        _ method: String, _ place: Place, _ activity: Activity, _ fields: String,
        _ apply: @escaping @Sendable (inout MixedBook, [UInt8]) -> Void?
    ) {
        let command = Array(#"{"channel_id":"\#(people.rooms[place.room])"\#(fields)}"#.utf8)
        perform(method, command, place, activity, apply)
    }

    private func perform(
        _ method: String, _ command: [UInt8], _ place: Place, _ activity: Activity,
        _ apply: @escaping @Sendable (inout MixedBook, [UInt8]) -> Void?
    ) {
        let isMeasured = plan.pace.stretch(of: place.sequence) != nil
        group.enter()
        people.members[place.user].client.rpc(method: method, data: command) { [tally, group] result in
            tally.recordAnswer(
                place.sequence, activity, intended: place.intended, isMeasured: isMeasured, result, apply)
            group.leave()
        }
    }
}
