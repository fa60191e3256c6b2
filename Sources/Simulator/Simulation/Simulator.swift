import ChatModel
import Journal
import Transport

/// A chat with its users, server, crashes and failures, all derived from one seed.
package final class Simulator: Crowd {
    package let seed: UInt64
    package let options: SimulatorOptions
    let recorder = Recorder()
    let clock = SimulatedClock(now: 1_780_000_000_000)
    var random: SplitMix
    private var disk: SimulatedDisk
    var clients: [SimulatedClient] = []
    var backend: SimulatedBackend
    /// Requested guests, by command number.
    var awaited: [UInt32: UserID] = [:]
    var known = Knowledge()
    var writer = CommandWriter()
    /// Small limits, so that the simulation reaches them.
    private let limits: ConnectionLimits
    private var life: UInt64 = 0
    private var hasRefused = false
    /// A separate generator for corruption, so that it does not influence other decisions.
    private var corruptionRandom: SplitMix
    /// A separate generator for snapshots, for the same reason.
    var compactionRandom: SplitMix
    var erasure: DiskErasure

    package init(seed: UInt64, options: SimulatorOptions = SimulatorOptions()) {
        self.seed = seed
        random = SplitMix(seed: seed)
        corruptionRandom = SplitMix(seed: ~seed)
        compactionRandom = SplitMix(seed: seed &+ 1 << 40)
        backend = SimulatedBackend(seed: seed)
        erasure = DiskErasure(seed: seed)
        var options = options
        if options.eventsPerRoom == 1_000, random.chance(percent: 25) { options.eventsPerRoom = 4 }
        if compactionRandom.chance(percent: 50) {
            options.keptFrames = compactionRandom.pick([3, 40])
            options.keptBytes = compactionRandom.pick([0, 5_000, .max])
        }
        var shares = SplitMix(seed: seed &+ 2 << 40)
        options.isScarce = shares.chance(percent: 25)
        self.options = options
        disk = SimulatedDisk(seed: random.next())
        // The first user has two devices, on different loops.
        let people = [Knowledge.people[0]] + Knowledge.people
        var limits = ConnectionLimits(&random)
        // A small budget, so that answers and events wait for later turns.
        if options.isScarce { limits.turnBytes = 200 }
        self.limits = limits
        clients = people.enumerated().map { index, user in
            SimulatedClient(
                index: index, user: user, loop: index % SimulatedServer.loopCount, recorder: recorder, clock: clock,
                random: SplitMix(seed: random.next()))
        }
    }

    package func run() -> SimulationResult {
        var steps = 0
        while steps < options.steps, !hasRefused {
            let plan = RunPlan(&random, isFirst: life == 0, options)
            steps += runServer(plan, maxSteps: options.steps - steps)
        }
        if !hasRefused { runWithoutFailures() }
        return SimulationResult(seed: seed, options: options, traceHash: recorder.traceHash, history: recorder.history)
    }

    // MARK: Lives

    /// - Returns: The number of steps, at least 1.
    private func runServer(_ plan: RunPlan, maxSteps: Int) -> Int {
        switch plan.failure {
        case .none: break
        case .powerCut(let after): disk.fail(disk.operations + after)
        case .error(let after, let code): disk.fail(disk.operations + after, code: code, isPermanent: false)
        case .noSpace(let bytes): disk.setCapacity(disk.size + bytes)
        }
        guard let server = begin() else {
            end(isPowerCut(plan) ? .powerCut : .killed)
            return 1
        }
        // Only occasionally, because recording a view is more expensive than a step.
        if random.chance(percent: 30) { recordView(of: server) }
        var done = 0
        while done < min(plan.steps, maxSteps), !server.hasFailed {
            step(server)
            compactOccasionally(disk, server)
            eraseOccasionally(disk, server)
            done += 1
            if case .noSpace = plan.failure, random.chance(percent: 4) { disk.setCapacity(.max) }
        }
        if !server.hasFailed, plan.end != .closed, random.chance(percent: 30) {
            runUntilQuiet(server)
            if !server.hasFailed { recordView(of: server) }
        }
        let isOver = server.hasFailed
        // Even a server whose disk has failed shuts down as cleanly as possible; it does not acknowledge pending
        // commands.
        if isOver ? random.chance(percent: 50) : plan.end == .closed { close(server) }
        endProcess(of: server)
        let isClosed = plan.end == .closed && !server.hasFailed
        end(isPowerCut(plan) && isOver ? .powerCut : isClosed ? .closed : plan.end == .closed ? .killed : plan.end)
        return max(1, done)
    }

    private func isPowerCut(_ plan: RunPlan) -> Bool {
        if case .powerCut = plan.failure { return true }
        return false
    }

    /// Starts a server on the disk; returns `nil` when it does not start.
    private func begin() -> SimulatedServer? {
        life += 1
        erasure.restart()
        do {
            let server = try SimulatedServer(
                disk, clock: clock, recorder: recorder, options: options, limits: limits,
                life: seed &* 1_000 &+ life)
            let found = server.found(recorder.history.written)
            guard found.isWhole else {
                server.die()
                if found.hasMissedBlocks {
                    recorder.record(.startFailed("cannot read blocks")) { $0.add("cannot read blocks") }
                    return nil
                }
                throw Broken(.replay, "replaying the snapshot and the frames after it gives a different state")
            }
            recorder.record(
                .began(
                    found.frames, wasUnclean: server.report.wasUnclean, cutBytes: server.report.cut.map(\.bytes) ?? 0)
            ) { $0.add(UInt64(found.frames.count)) }
            return server
        } catch JournalError.disk(let error) {
            recorder.record(.startFailed("\(error)")) { $0.add("\(error)") }
        } catch {
            hasRefused = true
            recorder.record(.refused("\(error)")) { $0.add("\(error)") }
        }
        return nil
    }

    /// Shuts down as an operator would: disconnects everyone and seals the journal.
    private func close(_ server: SimulatedServer) {
        server.decide()
        server.write()
        server.drain()
        for _ in 0..<1 + random.below(6) {
            turn(server)
            server.deliver()
            readClients()
            server.decide()
        }
        server.closeAll()
        turn(server)
        server.closeLog()
    }

    /// Ends the process. Clients may still receive some of the bytes that the operating system had accepted.
    private func endProcess(of server: SimulatedServer) {
        server.die()
        awaited = [:]
        clock.cancelTimers()
        for client in clients {
            client.link?.reset()
            for answer in client.read() { known.learn(answer.request, answer.message) }
            if client.state != .away { client.leave(.silently) }
        }
    }

    /// Decides what the next process finds on the disk.
    private func end(_ end: History.End) {
        switch end {
        case .powerCut: disk = disk.crashed()
        case .killed: disk = disk.killed()
        // After a clean shutdown everything is on disk, whatever happens to the machine.
        case .closed: disk = random.chance(percent: 50) ? disk.crashed() : disk.killed()
        }
        recorder.record(.ended(end)) { hash in
            for (name, bytes) in self.disk.files {
                hash.add(name)
                hash.add(bytes)
            }
        }
        if corruptionRandom.chance(percent: 30) { damage() }
    }

    /// Changes a byte in a copy of the disk, and starts a server on it.
    private func damage() {
        let copy = disk.killed()
        let files = copy.files.filter { !$0.name.hasSuffix(".tmp") && !$0.bytes.isEmpty }
        guard let file = files.randomElement(using: &corruptionRandom) else { return }
        let place = corruptionRandom.below(file.bytes.count)
        let mask = UInt8(1 + corruptionRandom.below(255))
        copy.tamper(file.name) { $0[place] ^= mask }
        do {
            let (found, cutBytes) = try SimulatedServer.found(on: copy, options, recorder.history.written)
            // A different state is a different history: treat it as if nothing was found. But a damaged block, which is
            // reported, takes the texts of its messages.
            let isWhole = found.isWhole
            let frames = isWhole ? found.frames : found.hasDamagedBlocks ? nil : []
            recorder.record(.foundDamaged(frames, cutBytes: cutBytes))
        } catch {
            recorder.record(.foundDamaged(nil, cutBytes: 0))
        }
    }

    /// Runs a server without failures, to resolve all unknown outcomes and check that they survive a clean shutdown.
    private func runWithoutFailures() {
        for isLast in [false, true] {
            guard let server = begin() else { return hasRefused = true }
            recordView(of: server)
            if !isLast {
                connectAll(server)
                runUntilQuiet(server)
                recordView(of: server)
            }
            close(server)
            endProcess(of: server)
            end(.closed)
        }
    }

    private func recordView(of server: SimulatedServer) {
        guard let view = View(of: server) else { return }
        recorder.record(.reported(view)) { hash in for answer in view.answers { hash.add(answer) } }
    }
}

extension SimulatorOptions {
    /// Simulates one server, or several that form a cluster.
    package func run(seed: UInt64) -> SimulationResult {
        nodes > 1
            ? ClusterSimulator(seed: seed, options: self).run() : Simulator(seed: seed, options: self).run()
    }
}

/// The result of a simulation.
package struct SimulationResult: Sendable {
    package let seed: UInt64
    package let options: SimulatorOptions
    package let traceHash: String
    package let history: History
}
