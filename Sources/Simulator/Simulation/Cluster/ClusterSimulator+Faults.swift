import Journal

extension ClusterSimulator {
    func beginFaults() {
        store.faults = profile.storeFaults
        bus.faults = profile.busFaults
    }

    /// Begins or ends a fault.
    func trouble() {
        let node = random.pick(nodes)
        switch random.below(20) {
        case 0: end(node, .killed)
        case 1: end(node, .powerCut)
        case 2: failDisk(of: node)
        case 3, 4: stopOrderly(node)
        case 5, 6:
            guard !node.isStopped, node.server != nil else { return }
            node.stop()
            recorder.record(.cluster(.nodeStopped(node.index))) { $0.add(UInt64(node.index)) }
        case 7, 8: resume(node)
        case 9:
            (node.isStoreCut, node.isBusCut) = (true, true)
            recordContact("node \(node.index) is cut off")
        case 10:
            node.isStoreCut.toggle()
            recordContact("node \(node.index) has \(node.isStoreCut ? "no " : "")contact with the log")
        case 11:
            node.isBusCut.toggle()
            recordContact("node \(node.index) has \(node.isBusCut ? "no " : "")contact with the bus")
        case 12, 13:
            node.side = 1 - node.side
            recordContact("node \(node.index) is on side \(node.side) of the bus")
        case 14:
            store.isAvailable.toggle()
            recordContact("the log is \(store.isAvailable ? "" : "not ")available")
        default: reconnect()
        }
    }

    private func recordContact(_ what: String) { recorder.record(.cluster(.contactChanged(what))) { $0.add(what) } }

    private func resume(_ node: SimulatedNode) {
        guard node.isStopped else { return }
        node.resume()
        recorder.record(.cluster(.nodeContinued(node.index))) { $0.add(UInt64(node.index)) }
    }

    /// Ends all trouble with contact and with stopped processes.
    private func reconnect() {
        store.isAvailable = true
        for node in nodes {
            resume(node)
            node.reconnect()
        }
        recordContact("all nodes have contact")
    }

    private func failDisk(of node: SimulatedNode) {
        let operation = node.disk.operations + 1 + random.below(30)
        if random.chance(percent: 50) {
            node.isLosingPower = true
            node.disk.fail(operation)
        } else {
            let code = random.pick([RunPlan.inputOutput, RunPlan.noSpaceLeft])
            node.disk.fail(operation, code: code, isPermanent: false)
        }
    }

    /// Stops a node as an operator does.
    private func stopOrderly(_ node: SimulatedNode) {
        guard let member = node.server?.member, node.stopping == nil, !node.isStopped else { return }
        node.stopping = .handingOver
        member.handOver()
    }

    /// Occasionally makes a snapshot while the servers run.
    func compactOccasionally() {
        guard let kept = options.keptFrames, random.chance(percent: 12) else { return }
        let node = random.pick(nodes)
        guard let server = node.server, !node.isStopped else { return }
        let compaction = Compaction(
            simulated: node.disk, keeping: kept, bytes: options.keptBytes, salt: random.next())
        do {
            guard let result = try server.compact(compaction) else { return }
            recorder.record(.compacted(upTo: result.sequence)) { $0.add(result.sequence) }
        } catch {
            recorder.record(.compactionFailed("\(error)")) { $0.add("\(error)") }
        }
    }

    /// Proceeds with erasing deleted users from a node's disk, which has its own copy of everything.
    func eraseOccasionally() {
        guard backend.deletesUsers else { return }
        for node in nodes {
            guard let server = node.server, !node.isStopped else { continue }
            do {
                let durable = server.member?.status.appliedFrame ?? 0
                let erased = try node.erasure.proceed(on: server, node.disk, options, log.frames, durable: durable)
                guard let erased else { continue }
                recorder.record(.erased(upTo: erased.frame, leaks: erased.leaks.map { "node \(node.index): \($0)" })) {
                    $0.add(erased.frame)
                }
            } catch {
                recorder.record(.compactionFailed("\(error)")) { $0.add("\(error)") }
            }
        }
    }

    // MARK: The end

    /// Ends all faults, lets every client learn the outcome of its commands, and records what the nodes report.
    func finish() {
        store.faults = .none
        bus.faults = .none
        reconnect()
        isCalm = true
        for client in clients { client.pausedUntil = 0 }
        settle(milliseconds: 45_000)
        // Connections that fell silent, and users who left, are no longer online by then.
        run(milliseconds: 13_000)
        settle(milliseconds: 30_000)
        guard !isBroken else { return }
        recorder.record(isSettled ? .quiet : .protocolViolated(client: 0, "there is no end to it: \(unsettled)"))
        guard isSettled else { return }
        for node in nodes { recordState(of: node) }
        checkDisks()
    }

    /// Runs until nothing waits for anything.
    private func settle(milliseconds: Int) {
        let end = timeline.now + Int64(milliseconds)
        repeat {
            for client in clients {
                if client.link?.condition == .cut { client.leave(.silently) }
                if client.state == .away, !client.isGone { connect(client, ()) }
                if client.state == .live, let send = client.nextUnknown() {
                    client.send([client.command(.call(send))])
                }
            }
            run(milliseconds: 300)
        } while !isSettled && timeline.now < end && !isBroken
    }

    private var isSettled: Bool { unsettled == "" }

    /// What still waits; empty if nothing does.
    private var unsettled: String {
        let last = UInt64(log.frames.count)
        for node in nodes {
            guard let status = node.server?.member?.status, node.stopping == nil else {
                return "node \(node.index) does not run"
            }
            // It asks the others who is online, and is asked.
            guard timeline.now - node.began >= 2_000 else { return "node \(node.index) has just started" }
            guard status.isReady, status.appliedFrame == last else {
                return "node \(node.index) has applied \(status.appliedFrame) of \(last) frames, \(status)"
            }
        }
        guard nodes.count(where: { $0.server?.member?.status.role == .writer }) == 1 else { return "no writer" }
        guard timeline.now - lastRead >= 200 else { return "a client has just received something" }
        let waiting = clients.first { !$0.isGone && ($0.state != .live || $0.hasUnknown || !$0.waiting.isEmpty) }
        return waiting.map { "client \($0.index) waits, \($0.state), \($0.waiting)" } ?? ""
    }

    /// Records what a node reports about the chat and about who is online.
    private func recordState(of node: SimulatedNode) {
        guard let server = node.server, let view = View(of: server) else {
            return recorder.record(.protocolViolated(client: 0, "node \(node.index) does not answer queries"))
        }
        recorder.record(.reported(view)) { hash in for answer in view.answers { hash.add(answer) } }
        recorder.record(.cluster(.presence(node.index, View.presence(on: server))))
    }

    /// Records what the disks contain, as the next servers would find it.
    private func checkDisks() {
        for node in nodes { end(node, .killed) }
        for node in nodes {
            do {
                let (found, _) = try SimulatedServer.found(on: node.disk.killed(), options, log.frames)
                recorder.record(.cluster(.nodeBegan(node.index, found.frames, wasUnclean: true)))
                guard found.isWhole, found.frames.count == log.frames.count else {
                    throw Broken(.nothingLost, "\(found.frames.count) of \(log.frames.count) frames")
                }
            } catch {
                recorder.record(.refused("the disk of node \(node.index): \(error)"))
            }
        }
    }
}
