import ChatEngine
import ChatModel
import Gateway

// Compiled together with the messages of Cluster by Tests/fuzz, with their dependencies as modules.
//
//     kind: u8 | the encoded message

/// Reads any bytes that the bus may contain: yields a message or nothing, never a trap. A message means the same after
/// encoding it again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzNodeMessages(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let kind = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    switch kind % 8 {
    case 0:
        guard let command = RelayedCommand(bytes) else { return 0 }
        precondition(RelayedCommand(command.encoded) == command, "another command")
    case 1:
        guard let proto = ProtoNews(encoded: bytes), let sender = NodeID(proto.sender), let news = ClusterNews(proto),
            let again = ProtoNews(encoded: news.encoded(from: sender))
        else { return 0 }
        precondition(ClusterNews(again) == news && NodeID(again.sender) == sender, "other news")
    case 2:
        guard let relay = ProtoRelay(encoded: bytes) else { return 0 }
        let intake = RelayIntake()
        for command in intake.take(relay) { intake.finish(command) }
        precondition(intake.received <= UInt64(relay.pieces.count), "too many pieces")
        precondition(intake.take(relay).isEmpty, "a piece was taken twice")
    case 3: hear(bytes)
    case 4: copy(bytes)
    case 5:
        guard let page = ProtoPresencePage(encoded: bytes) else { return 0 }
        var presence = RemotePresence(at: 0)
        presence.ask(1)
        let users = page.users.compactMap { UserID($0) }
        let difference = presence.receive(page: users, changes: page.changes, isLast: page.isLast)
        precondition(difference.connected.count == presence.users.count, "other users")
    case 6:
        guard let (sender, question) = CopyQuestion.decoded(bytes) else { return 0 }
        let again = CopyQuestion.decoded(question.encoded(from: sender))
        precondition(again?.sender == sender && again?.question == question, "another question")
    default:
        guard let answer = CopyAnswer(bytes) else { return 0 }
        precondition(CopyAnswer(answer.encoded) == answer, "another answer")
    }
    return 0
}

/// Reads a page of dead letters, and a piece of a body.
private func copy(_ bytes: [UInt8]) {
    let copy = DeadLetterCopy(1, of: ["a"], positions: [:])
    if let page = ProtoLetterPage(encoded: bytes), copy.add(page, known: []) {
        let again = copy.missing.map(ProtoLetter.init)
        precondition(again.map(SharedLetter.init) == Array(copy.missing), "other letters")
        precondition(copy.serials.count == page.letters.count && copy.serials.allSatisfy { $0 <= copy.last }, "lost")
    }
    if let piece = ProtoLetterBodyPiece(encoded: bytes), copy.add(piece) {
        precondition(copy.body.count == piece.bytes.count, "another body")
    }
}

/// Hears changes twice, after everything before them.
private func hear(_ bytes: [UInt8]) {
    guard let proto = ProtoPresenceChanges(encoded: bytes) else { return }
    let changes = RemotePresence.Changes(
        before: proto.before,
        changes: proto.changes.compactMap { change in UserID(change.user).map { ($0, change.connected) } })
    var presence = RemotePresence(at: 0)
    presence.ask(1)
    _ = presence.receive(page: [], changes: proto.before, isLast: true)
    _ = presence.receive(changes, at: 0)
    let users = presence.users
    _ = presence.receive(changes, at: 0)
    precondition(presence.users == users, "a change was applied twice")
}
