import ChatDomain
import ChatModel

extension Simulator {
    func step(_ server: SimulatedServer) {
        clock.advance(Int64(random.pick([0, 1, 1, 5, 300, 1_500])))
        for _ in 0..<1 + random.below(8) { act(random.pick(clients), server) }
        command(server)
        for _ in 0..<1 + random.below(3) {
            server.deliver()
            turn(server)
            readClients()
        }
        server.decide()
        // Loops keep running while the journal writes. Commands sent then are decided either before or after the write
        // is durable.
        let isEarly = random.chance(percent: 50)
        if isEarly {
            for _ in 0..<random.below(4) { act(random.pick(clients), server) }
            server.deliver()
            turn(server)
        }
        server.write(isDecidingMeanwhile: isEarly && random.chance(percent: 50), after: 1 + random.below(2))
        for _ in 0..<1 + random.below(3) {
            turn(server)
            server.deliver()
            readClients()
        }
    }

    /// Delivers everything in transit, and everything that results from it.
    ///
    /// - Returns: False when it does not settle.
    @discardableResult
    func deliverAll(_ server: SimulatedServer) -> Bool {
        for client in clients { client.pausedUntil = 0 }
        var wasIdle = false
        for _ in 0..<10_000 {
            var isBusy = server.deliverAll()
            for loop in 0..<SimulatedServer.loopCount { isBusy = server.turn(loop, socketsFirst: true) || isBusy }
            isBusy = readClients(isCertain: true) || isBusy
            server.decide()
            server.write()
            // The next round receives the results of the engine's timers.
            if !isBusy, wasIdle { return true }
            wasIdle = !isBusy
        }
        return false
    }

    /// Continues until everything sent has been received.
    func runUntilQuiet(_ server: SimulatedServer) {
        for client in clients where client.link?.condition == .cut { client.leave(.silently) }
        var isSettled = deliverAll(server)
        for client in clients { client.isPrompt = true }
        // While the disk fails, the server answers nothing and finally reads nothing.
        for _ in 0..<10 where !server.hasFailed {
            clock.advance(2_000)
            isSettled = deliverAll(server)
        }
        for client in clients { client.isPrompt = false }
        guard !server.hasFailed else { return }
        recorder.record(isSettled ? .quiet : .protocolViolated(client: 0, "there is no end to it"))
    }

    /// Connects all clients, which then learn the outcome of their sends.
    func connectAll(_ server: SimulatedServer) {
        for _ in 1...100 {
            for client in clients {
                if client.state == .away, !client.isGone { connect(client, server) }
                if client.state == .live, let send = client.nextUnknown() {
                    client.send([client.command(.call(send))])
                }
            }
            deliverAll(server)
            if clients.allSatisfy({ $0.isGone || $0.state == .live && !$0.hasUnknown }) { return }
            // Gives the server time to retry a full disk.
            clock.advance(1_000)
        }
        for client in clients where client.state != .live && !client.isGone {
            client.record(.protocolViolated(client: client.index, "it does not come in"))
        }
    }

    func turn(_ server: SimulatedServer) {
        for loop in 0..<SimulatedServer.loopCount where random.chance(percent: 80) {
            _ = server.turn(loop, socketsFirst: random.chance(percent: 50))
        }
    }

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

    /// Passes answers to the backend and sends its next command.
    private func command(_ server: SimulatedServer) {
        for (number, answer) in server.drainAnswers() {
            let guest = awaited.removeValue(forKey: number)
            guard case .success(let response) = answer else { continue }
            if let response = response as? UpsertChannels.Response { known.learn(created: response.created) }
            guard let guest else { continue }
            clients.append(
                SimulatedClient(
                    index: clients.count, user: guest, loop: clients.count % SimulatedServer.loopCount,
                    recorder: recorder, clock: clock, random: SplitMix(seed: seed &+ UInt64(clients.count) << 32)))
        }
        let guests = clients.count { $0.user.isGuest && !$0.isGone } + awaited.count
        guard let (number, request) = backend.next(hasRoom: guests < SimulatedBackend.guestLimit) else { return }
        if let guest = request as? AdmitGuest { awaited[number] = guest.id }
        server.command(request, number: number)
    }

    func connect(_ client: SimulatedClient, _ server: SimulatedServer) {
        let link = SimulatedLink(&random, recorder: recorder)
        client.connect(link)
        server.accept(link, on: client.loop)
    }

    // MARK: Client actions

    private func act(_ client: SimulatedClient, _ server: SimulatedServer) {
        switch client.state {
        case .away where client.isGone: break
        case .away: if random.chance(percent: 70) { connect(client, server) }
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
