import ChatModel
import FoundationEssentials

/// The client's processing of received bytes.
extension SimulatedClient {
    var hasArrivals: Bool { (link?.down.arrivedCount ?? 0) > 0 }

    /// Reads everything that has arrived.
    ///
    /// - Returns: The client's successful calls.
    func read() -> [(request: any Request, message: Message?)] {
        guard let link else { return [] }
        let (pieces, isOver) = link.read()
        for piece in pieces {
            recorder.hash { $0.add(piece.bytes) }
            reader.feed(piece)
        }
        var answers: [(any Request, Message?)] = []
        while state != .away, let (input, stamp) = reader.next() {
            if stamp != lastStamp { record(.inputSent(client: index, sentAt: stamp)) }
            lastStamp = stamp
            handle(input, &answers)
        }
        if isOver { disconnect(.broke) }
        return answers
    }

    private func handle(_ input: FrameReader.Input, _ answers: inout [(any Request, Message?)]) {
        switch input {
        case .upgraded:
            state = .attaching
            send([command(.connect)])
        case .refused(let status):
            link?.clientCloses()
            disconnect(.closed(code: status))
        case .text(let text):
            for line in text.split(separator: 10) { handle(PlainJSON(Array(line)), &answers) }
        case .ping(let payload): link?.send(writer.pong(payload))
        case .pong: break
        case .close(let code):
            if code == 3500 {
                tokenSecond = nil
                isGone = user.isGuest
            }
            if isPrompt, code == 3012 { reportViolation("that it gave no pong") }
            if case (.invalid(let what), _)? = reader.next() { reportViolation(what) }
            link?.send(writer.close())
            link?.clientCloses()
            disconnect(.closed(code: code))
        case .invalid(let what): reportViolation(what)
        }
    }

    private func handle(_ envelope: PlainJSON, _ answers: inout [(any Request, Message?)]) {
        guard let members = envelope.members() else { return reportViolation(in: envelope) }
        guard let id = members["id"]?.number else {
            // The server's ping is an empty object.
            if members.isEmpty { return send(["{}"]) }
            guard state == .live, let push = members["push"]?.members(), receive(push) else {
                return reportViolation(in: envelope)
            }
            return
        }
        guard let place = waiting.firstIndex(where: { UInt64($0.command) == id }) else {
            return reportViolation(in: envelope)
        }
        let (command, question) = waiting.remove(at: place)
        recordRead(.readAnswered(client: index, command: command))
        defer { recordRead(.readAnswered(client: index, command: nil)) }
        switch question {
        case .call(let request):
            guard let reply = handleAnswer(to: request, members) else { return reportViolation(in: envelope) }
            record(.answered(client: index, command: command, reply))
            switch reply {
            case .done(let message): answers.append((request, message))
            // Another client has already done it, which is just as good.
            case .refused(code: 1015): answers.append((request, nil))
            case .refused: break
            }
        case .connect where members["error"] != nil: leave(.hangingUp)
        case .subscribe(let room, _) where members["error"]?["code"]?.number == 112: positions[room] = nil
        case _ where members["error"] != nil: break
        case .connect:
            guard let reply = members["connect"], let subs = reply["subs"]?.members(), reply["client"]?.text != nil
            else {
                return reportViolation(in: envelope)
            }
            state = .live
            record(.tokenAccepted(client: index, command: command))
            for (name, sub) in subs {
                guard let room = Room(name: name), applySubscription(to: room, sub, from: positions[room]) else {
                    return reportViolation(in: envelope)
                }
            }
        case .subscribe(let room, let from):
            if subscriptions.contains(room) { reportViolation("a place in \(room), where it is") }
            guard let reply = members["subscribe"], applySubscription(to: room, reply, from: from) else {
                return reportViolation(in: envelope)
            }
        case .unsubscribe(let room):
            guard members["unsubscribe"] != nil else { return reportViolation(in: envelope) }
            if isEntering(room, before: command) { reportViolation("that it has left \(room), before it was let in") }
            removeSubscription(to: room)
        case .refresh:
            guard members["refresh"] != nil else { return reportViolation(in: envelope) }
            record(.tokenAccepted(client: index, command: command))
        }
    }

    /// - Returns: `nil` for a malformed answer.
    private func handleAnswer(
        to request: any Request, _ members: [(name: String, value: PlainJSON)]
    ) -> History.Reply? {
        if let error = members["error"] {
            guard let code = error["code"]?.number else { return nil }
            // The server did nothing, or may have done it. Either way, the client retries.
            if code == 1040 || code == 1041, let send = request as? SendMessage { retry(send) }
            return .refused(code: Int(clamping: code))
        }
        guard let data = members["rpc"]?["data"] else { return nil }
        var message: Message?
        if type(of: request).hasMessage {
            guard let found = try? JSONDecoder().decode(MessageResponse.self, from: Data(data.bytes)) else {
                return nil
            }
            message = found.message
        }
        return .done(message: message)
    }

    private func isEntering(_ room: Room, before command: UInt32) -> Bool {
        waiting.contains { asked in
            if case .subscribe(room, _) = asked.question { asked.command < command } else { false }
        }
    }

    private func reportViolation(in envelope: PlainJSON) {
        reportViolation(String(decoding: envelope.bytes, as: UTF8.self))
    }

    private func reportViolation(_ what: String) { record(.protocolViolated(client: index, what)) }
}

extension Request {
    fileprivate static var hasMessage: Bool { Response.self == MessageResponse.self }
}
