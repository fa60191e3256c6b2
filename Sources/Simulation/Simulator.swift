import ChatDomain
import ChatEngine
import ChatModel
import Gateway
import Journal
import WireProtocol

/// A chat with its people, its server, its crashes and failures, all of it from one seed.
package final class Simulator {
    package let seed: UInt64
    package let options: SimulatorOptions
    private let recorder = Recorder()
    private let clock = SimulatedClock(now: 1_780_000_000_000)
    private var random: SplitMix
    private var disk: SimulatedDisk
    private var clients: [SimulatedClient] = []
    private var known = Knowledge()
    private var writer = CommandWriter()
    private var serial: UInt64 = 0
    private var life: UInt64 = 0
    private var hasRefused = false
    /// Of the damages alone, so that they change nothing in what happens.
    private var damages: SplitMix

    package init(seed: UInt64, options: SimulatorOptions = SimulatorOptions()) {
        self.seed = seed
        random = SplitMix(seed: seed)
        damages = SplitMix(seed: ~seed)
        var options = options
        if options.eventsPerRoom == 1_000, random.chance(percent: 25) { options.eventsPerRoom = 4 }
        self.options = options
        disk = SimulatedDisk(seed: random.next())
        // Two devices of the first person, on different loops.
        let people = [Knowledge.people[0]] + Knowledge.people
        clients = people.enumerated().map { index, user in
            SimulatedClient(index: index, user: user, loop: index % SimulatedServer.loopCount, recorder: recorder)
        }
    }

    package func run() -> Simulated {
        var steps = 0
        while steps < options.steps, !hasRefused {
            let fate = Fate(&random, isFirst: life == 0, options)
            steps += live(fate, atMost: options.steps - steps)
        }
        if !hasRefused { liveQuietly() }
        return Simulated(seed: seed, options: options, traceHash: recorder.traceHash, history: recorder.history)
    }

    // MARK: Lives

    /// - Returns: How many steps the life had, one at least.
    private func live(_ fate: Fate, atMost limit: Int) -> Int {
        switch fate.failure {
        case .none: break
        case .powerCut(let after): disk.fail(disk.operations + after)
        case .error(let after, let code): disk.fail(disk.operations + after, code: code, forEver: false)
        case .noSpace(let bytes): disk.setCapacity(disk.size + bytes)
        }
        guard let server = begin() else {
            end(isPowerCut(fate) ? .powerCut : .killed)
            return 1
        }
        // A look now and then: it costs more than a step.
        if random.chance(percent: 30) { look(at: server) }
        var done = 0
        while done < min(fate.steps, limit), !server.hasFailed {
            step(server)
            done += 1
            if case .noSpace = fate.failure, random.chance(percent: 4) { disk.setCapacity(.max) }
        }
        if !server.hasFailed, fate.end != .closed, random.chance(percent: 30) {
            rest(server)
            if !server.hasFailed { look(at: server) }
        }
        let isOver = server.hasFailed
        if fate.end == .closed, !isOver { server.close() }
        server.die()
        let isClosed = fate.end == .closed && !server.hasFailed
        end(isPowerCut(fate) && isOver ? .powerCut : isClosed ? .closed : fate.end == .closed ? .killed : fate.end)
        return max(1, done)
    }

    private func isPowerCut(_ fate: Fate) -> Bool {
        if case .powerCut = fate.failure { return true }
        return false
    }

    /// A server on what the disk holds; `nil` when it does not come up.
    private func begin() -> SimulatedServer? {
        life += 1
        do {
            let server = try SimulatedServer(
                disk, clock: clock, recorder: recorder, options: options, life: seed &* 1_000 &+ life)
            recorder.note(
                .began(
                    server.frames, wasUnclean: server.report.wasUnclean, cutBytes: server.report.cut.map(\.bytes) ?? 0)
            ) { $0.add(UInt64(server.frames.count)) }
            return server
        } catch JournalError.disk(let error) {
            recorder.note(.beganNot("\(error)")) { $0.add("\(error)") }
        } catch {
            hasRefused = true
            recorder.note(.refused("\(error)")) { $0.add("\(error)") }
        }
        return nil
    }

    /// The process is gone; what the next one finds is decided here.
    private func end(_ end: History.End) {
        clock.forgetTimers()
        for client in clients { client.disconnect() }
        switch end {
        case .powerCut: disk = disk.crashed()
        case .killed: disk = disk.killed()
        // An orderly end is on the disk, whatever happens to the machine after it.
        case .closed: disk = random.chance(percent: 50) ? disk.crashed() : disk.killed()
        }
        recorder.note(.ended(end)) { hash in
            for (name, bytes) in self.disk.files {
                hash.add(name)
                hash.add(bytes)
            }
        }
        if damages.chance(percent: 30) { damage() }
    }

    /// Changes a byte in a copy of the disk, and lets a server look at it.
    private func damage() {
        let copy = disk.killed()
        guard
            let file = copy.files.filter({ $0.name.hasSuffix(".journal") && !$0.bytes.isEmpty }).randomElement(
                using: &damages)
        else { return }
        let place = damages.below(file.bytes.count)
        let mask = UInt8(1 + damages.below(255))
        copy.tamper(file.name) { $0[place] ^= mask }
        do {
            let (frames, cutBytes) = try SimulatedServer.frames(on: copy, options)
            recorder.note(.foundDamaged(frames, cutBytes: cutBytes))
        } catch {
            recorder.note(.foundDamaged(nil, cutBytes: 0))
        }
    }

    /// Nothing fails any more: everything unknown is asked again and answered, and found once more after an orderly end.
    private func liveQuietly() {
        for isLast in [false, true] {
            guard let server = begin() else { return hasRefused = true }
            look(at: server)
            if !isLast {
                for _ in 1...40 where clients.contains(where: { $0.state != .live || !$0.unknown.isEmpty }) {
                    step(server, isLast: true)
                }
                rest(server)
                look(at: server)
            }
            server.close()
            end(.closed)
        }
    }

    // MARK: Steps

    private func step(_ server: SimulatedServer, isLast: Bool = false) {
        clock.advance(Int64(random.pick([0, 1, 1, 5, 300, 1_500])))
        server.settle()
        let errands = errands(server, 1 + random.below(5), isLast: isLast)
        let meanwhile = random.chance(percent: 25) ? self.errands(server, 1 + random.below(3), isLast: isLast) : []
        server.run(errands, meanwhile: meanwhile)
        for loop in 0..<SimulatedServer.loopCount where random.chance(percent: 80) { turn(server, loop) }
    }

    /// Until everything said has been heard.
    private func rest(_ server: SimulatedServer) {
        for _ in 0..<10 {
            clock.advance(2_000)
            server.settle()
            for loop in 0..<SimulatedServer.loopCount { turn(server, loop) }
        }
        server.settle()
        if !server.hasFailed, !server.hasDeliveries { recorder.note(.quiet) }
    }

    private func errands(_ server: SimulatedServer, _ count: Int, isLast: Bool) -> [Errand] {
        (0..<count).compactMap { _ in
            let client = random.pick(clients)
            switch client.state {
            case .away:
                guard isLast || random.chance(percent: 60) else { return nil }
                serial += 1
                return .attach(client.connect(serial: serial))
            case .attaching: return nil
            case .live:
                if let send = client.nextUnknown() { return ask(send, client) }
                if isLast { return nil }
                return errand(of: client, server)
            }
        }
    }

    private func errand(of client: SimulatedClient, _ server: SimulatedServer) -> Errand? {
        switch random.below(100) {
        case 0..<4:
            server.leave(client)
            client.disconnect()
            return nil
        case 4..<8:
            let room = Room.channel(random.pick(Knowledge.channels))
            guard server.isSeated(client, in: room) else { return nil }
            server.leave(client, room)
            client.left(room)
            return nil
        case 8..<14:
            let room = Room.channel(random.pick(Knowledge.channels))
            guard !server.isSeated(client, in: room) else { return nil }
            let request = SubscribeRequest(channel: room.name, recover: client.positions[room.name])
            return .subscribe(client.user, room, request, client.nextAddress())
        default:
            return ask(writer.next(by: client.index, of: client.user, known, &random), client)
        }
    }

    private func ask(_ request: any Request, _ client: SimulatedClient) -> Errand? {
        let address = client.ask(request)
        recorder.note(.asked(client: client.index, user: client.user, command: address.command, request)) { hash in
            hash.add(UInt64(client.index) << 32 | UInt64(address.command))
            hash.add(WireEncoder().encode(request))
        }
        if let change = request as? any Change { return .change(change, .user(client.user), address) }
        if let query = request as? any Query { return .query(query, .user(client.user), address) }
        return nil
    }

    // MARK: Deliveries

    private func turn(_ server: SimulatedServer, _ loop: Int) {
        server.turn(loop) { delivery, hub in
            switch delivery {
            case .attached(let address, let attachment):
                guard let client = client(address), client.state == .attaching else {
                    return hub.decline(attachment.grants)
                }
                client.attached(ConnectReply(grants: attachment.grants))
                hub.attach(client, user: client.user, follows: true, to: attachment.grants)
            case .subscribed(let address, .success(let grant)):
                guard let client = client(address), !hub.isMember(client, of: grant.room) else {
                    return hub.decline([grant])
                }
                hub.flush(roomsOf: client)
                client.subscribed(grant.room, SubscribeResult(grant))
                hub.enter(client, grant)
            case .answered(let address, let answer):
                guard let client = client(address) else { return }
                hub.flush(roomsOf: client)
                take(answer, to: address.command, client)
            default: return
            }
        }
    }

    private func client(_ address: ReturnAddress) -> SimulatedClient? {
        clients.first { $0.connection == address.connection && $0.state != .away }
    }

    private func take(_ answer: Answer, to command: UInt32, _ client: SimulatedClient) {
        guard let request = client.answered(command) else { return }
        switch answer {
        case .success(let response):
            let message = (response as? MessageResponse)?.message
            known.learn(request, message)
            note(.done(message: message), WireEncoder().encode(response), command, client)
        case .failure(let rejection):
            // Temporary: it did not happen, and the client tries again.
            if rejection.code == .storageUnavailable, let send = request as? SendMessage { client.retry(send) }
            note(.refused(code: rejection.code.rawValue), Array("\(rejection)".utf8), command, client)
        }
    }

    private func note(_ reply: History.Reply, _ bytes: [UInt8], _ command: UInt32, _ client: SimulatedClient) {
        recorder.note(.answered(client: client.index, command: command, reply)) { hash in
            hash.add(UInt64(client.index) << 32 | UInt64(command))
            hash.add(bytes)
        }
    }

    private func look(at server: SimulatedServer) {
        guard let view = View(of: server) else { return }
        recorder.note(.told(view)) { hash in for answer in view.answers { hash.add(answer) } }
    }
}

/// What came of a simulation.
package struct Simulated: Sendable {
    package let seed: UInt64
    package let options: SimulatorOptions
    package let traceHash: String
    package let history: History
}
