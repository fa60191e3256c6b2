import ChatDomain
import ChatModel
import Gateway

/// What simulations of one server and of several share: people with their devices, who act on what they know.
protocol Crowd: AnyObject {
    /// Where clients connect.
    associatedtype Place
    var random: SplitMix { get set }
    var clock: SimulatedClock { get }
    var recorder: Recorder { get }
    var seed: UInt64 { get }
    var clients: [SimulatedClient] { get set }
    var backend: SimulatedBackend { get set }
    /// Requested guests, by command number.
    var awaited: [UInt32: UserID] { get set }
    var known: Knowledge { get set }
    var writer: CommandWriter { get set }
    func connect(_ client: SimulatedClient, _ place: Place)
}

extension Crowd {
    // MARK: The app's backend

    /// Receives answers to the backend. New guests get a device.
    func learn(_ answers: [(number: UInt32, answer: Answer)]) {
        for (number, answer) in answers {
            let guest = awaited.removeValue(forKey: number)
            guard case .success(let response) = answer else { continue }
            if let response = response as? UpsertChannels.Response { known.learn(created: response.created) }
            guard let guest else { continue }
            clients.append(
                SimulatedClient(
                    index: clients.count, user: guest, loop: clients.count % SimulatedServer.loopCount,
                    recorder: recorder, clock: clock, random: SplitMix(seed: seed &+ UInt64(clients.count) << 32)))
        }
    }

    /// Returns the backend's next command and its number; `nil` when it sends nothing now.
    ///
    /// - Parameter trustsClocks: Whether the servers' clocks may date revocations.
    func nextCommand(trustsClocks: Bool = true) -> (number: UInt32, request: any Request)? {
        let guests = clients.count { $0.user.isGuest && !$0.isGone } + awaited.count
        let next = backend.next(
            hasRoom: guests < SimulatedBackend.guestLimit, at: trustsClocks ? nil : clock.now / 1_000)
        if let (number, request) = next, let guest = request as? AdmitGuest { awaited[number] = guest.id }
        return next
    }

    // MARK: Clients

    /// - Returns: Whether anything had arrived.
    @discardableResult
    func readClients(isCertain: Bool = false) -> Bool {
        var hasRead = false
        for client in clients where client.state != .away {
            if !isCertain {
                guard client.pausedUntil <= clock.now, random.chance(percent: 85) else { continue }
                if random.chance(percent: 3) { client.pausedUntil = clock.now + Int64(random.below(9_000)) }
            }
            hasRead = hasRead || client.hasArrivals
            for answer in client.read() { known.learn(answer.request, answer.message) }
        }
        return hasRead
    }

    func act(_ client: SimulatedClient, _ place: Place) {
        switch client.state {
        case .away where client.isGone: break
        case .away: if random.chance(percent: 70) { connect(client, place) }
        case .opening, .attaching:
            if random.chance(percent: 3) { client.leave(random.pick(SimulatedClient.Leaving.allCases)) }
        case .live:
            if client.link?.condition == .cut, random.chance(percent: 20) { return client.leave(.silently) }
            var commands: [String] = []
            while random.chance(percent: commands.isEmpty ? 100 : 20), commands.count < 4 {
                guard let question = nextQuestion(of: client) else { break }
                commands.append(client.command(question))
                // Some clients immediately change their minds.
                if case .subscribe(let room, _) = question, random.chance(percent: 20) {
                    commands.append(client.command(.unsubscribe(room)))
                }
            }
            client.send(commands)
        }
    }

    /// - Returns: Nil when the client does something else.
    private func nextQuestion(of client: SimulatedClient) -> SimulatedClient.Question? {
        if let send = client.nextUnknown() { return .call(send) }
        switch random.below(100) {
        case 0..<2:
            client.leave(random.pick(SimulatedClient.Leaving.allCases))
            return nil
        case 2..<12:
            let room = Room.channel(random.pick(Knowledge.channels))
            // Half of the time, ask again before the pending request is answered.
            let isChanging = client.isChangingSubscription(to: room)
            let subscribes = isChanging ? random.chance(percent: 50) : !client.subscriptions.contains(room)
            return subscribes ? .subscribe(room, from: client.positions[room]) : .unsubscribe(room)
        case 12..<15:
            // Impatient clients repeat a send before it is answered.
            guard case .call(let send as SendMessage) = client.waiting.last?.question else { return nil }
            return .call(send)
        case 15: return .refresh
        default: return .call(writer.next(by: client.index, of: client.user, in: client.subscriptions, known, &random))
        }
    }
}

extension SimulatedClient {
    /// Returns whether a request to subscribe to or unsubscribe from the room is pending.
    fileprivate func isChangingSubscription(to room: Room) -> Bool {
        waiting.contains { asked in
            switch asked.question {
            case .subscribe(room, _), .unsubscribe(room): true
            default: false
            }
        }
    }
}
