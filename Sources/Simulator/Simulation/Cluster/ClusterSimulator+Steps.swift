import ChatModel

extension ClusterSimulator {
    func step() {
        if random.chance(percent: profile.troublePercent) { trouble() }
        for _ in 0..<1 + random.below(8) {
            let client = random.pick(clients)
            if isWeary(client) { client.leave(random.pick(SimulatedClient.Leaving.allCases)) } else { act(client, ()) }
        }
        command()
        compactOccasionally()
        eraseOccasionally()
        run(milliseconds: random.pick([1, 5, 5, 20, 50, 200, 1_000]))
    }

    /// Whether a client leaves now: it has seen an event, or its node does not answer.
    private func isWeary(_ client: SimulatedClient) -> Bool {
        switch client.state {
        case .away: return false
        case .opening, .attaching: return random.chance(percent: 10)
        case .live:
            let hasSeen = client.seen != client.positions
            client.seen = client.positions
            return profile.hopsAfterEvents && hasSeen
        }
    }

    /// Passes answers to the backend and sends its next command to a node.
    private func command() {
        for node in nodes {
            let answers = node.server?.drainAnswers() ?? []
            for (number, _) in answers { sent[number] = nil }
            learn(answers)
        }
        if random.chance(percent: 20), let message = known.newest(&random) {
            queries += 1
            send(message, number: Self.firstQuery + queries)
        }
        guard nodes.contains(where: \.acceptsClients),
            let (number, request) = nextCommand(trustsClocks: profile.hasGoodClocks)
        else { return }
        send(request, number: number)
    }

    private func send(_ request: some Request, number: UInt32) {
        let open = nodes.filter(\.acceptsClients)
        guard !open.isEmpty else { return }
        let node = random.pick(open)
        sent[number] = node.index
        recorder.record(.cluster(.backendSent(number: number, node: node.index))) { $0.add(UInt64(node.index)) }
        node.server?.command(request, number: number)
    }

    // MARK: Time

    /// Lets time pass for everything.
    func run(milliseconds: Int) {
        let end = timeline.now + Int64(milliseconds)
        while timeline.now < end, !isBroken {
            let longest = isCalm ? 100 : milliseconds > 100 ? 40 : 6
            let slice = min(Int(end - timeline.now), 1 + random.below(longest))
            clock.advance(Int64(slice))
            for node in nodes { node.clock?.advance(Int64(slice)) }
            timeline.run(milliseconds: slice)
            let first = random.below(nodes.count)
            for index in nodes.indices { turn(nodes[(first + index) % nodes.count]) }
            if readClients(isCertain: isCalm) { lastRead = timeline.now }
        }
    }

    private func turn(_ node: SimulatedNode) {
        guard let server = node.server else {
            if timeline.now >= node.nextStart { begin(node) }
            return
        }
        // The kernel takes what arrives for a stopped process.
        if isCalm { _ = server.deliverAll() } else { server.deliver() }
        guard !node.isStopped else { return }
        turnLoops(of: server)
        server.decide()
        if server.hasEntries, isCalm || random.chance(percent: 85) {
            let isEarly = !isCalm && random.chance(percent: 10)
            server.write(isDecidingMeanwhile: isEarly, after: 1 + random.below(2))
            turnLoops(of: server)
        }
        watch(node, server)
    }

    private func turnLoops(of server: SimulatedServer) {
        for loop in 0..<SimulatedServer.loopCount where isCalm || random.chance(percent: 80) {
            _ = server.turn(loop, socketsFirst: random.chance(percent: 50))
        }
    }

    /// Does what a process does about its own condition.
    private func watch(_ node: SimulatedNode, _ server: SimulatedServer) {
        // The journal survives the failure of what it only prepares.
        if server.hasFailed || node.disk.isDead {
            let isPowerCut = node.isLosingPower
            // A journal that fails without a planned fault is found by the checks.
            return end(node, isPowerCut ? .powerCut : .killed)
        }
        if let failure = node.failure {
            recorder.record(
                .cluster(.nodeFailed(node.index, failure.reason, isExpected: failure.isExpected))
            ) { $0.add(failure.reason) }
            return end(node, .killed)
        }
        if timeline.now >= node.nextWatch {
            node.nextWatch = timeline.now + 500
            if server.member?.status.isCutOff ?? false { server.sendAway() }
        }
        advanceStop(of: node, server)
    }

    /// Continues an orderly stop.
    private func advanceStop(of node: SimulatedNode, _ server: SimulatedServer) {
        switch node.stopping {
        case nil: break
        case .handingOver:
            guard server.member?.hasHandedOver ?? true else { return }
            server.drain()
            node.stopping = .draining(until: timeline.now + Int64(random.below(500)))
        case .draining(let until):
            guard timeline.now >= until else { return }
            server.closeAll()
            turnLoops(of: server)
            server.decide()
            server.write()
            server.member?.end()
            server.closeLog()
            end(node, server.hasFailed ? .killed : .closed)
        }
    }
}
