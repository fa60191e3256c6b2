import ChatDomain
import ChatEngine
import ChatModel
import Gateway
import WireProtocol

extension Simulator {
    func step(_ server: SimulatedServer, isLast: Bool = false) {
        clock.advance(Int64(random.pick([0, 1, 1, 5, 300, 1_500])))
        server.settle()
        let errands = errands(server, 1 + random.below(5), isLast: isLast)
        let meanwhile = random.chance(percent: 25) ? self.errands(server, 1 + random.below(3), isLast: isLast) : []
        let isEarly = random.chance(percent: 50)
        server.run(errands, meanwhile: meanwhile) {
            guard isEarly else { return }
            for loop in 0..<SimulatedServer.loopCount { turn(server, loop) }
        }
        for loop in 0..<SimulatedServer.loopCount where random.chance(percent: 80) { turn(server, loop) }
    }

    /// Until everything said has been heard.
    func rest(_ server: SimulatedServer) {
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
        case 8..<11:
            // Impatient: asks again before it is answered.
            guard let send = client.waiting.last?.request as? SendMessage else { return nil }
            return ask(send, client)
        case 11..<17:
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
}
