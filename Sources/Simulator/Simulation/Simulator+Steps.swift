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
            // Otherwise each command that waits for a body would take a step of the clock.
            isBusy = server.load() || isBusy
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

    /// Passes answers to the backend and sends its next command.
    private func command(_ server: SimulatedServer) {
        learn(server.drainAnswers())
        guard let (number, request) = nextCommand() else { return }
        server.command(request, number: number)
    }

    func connect(_ client: SimulatedClient, _ server: SimulatedServer) {
        let link = SimulatedLink(&random, recorder: recorder)
        client.connect(link)
        server.accept(link, on: client.loop)
    }
}
