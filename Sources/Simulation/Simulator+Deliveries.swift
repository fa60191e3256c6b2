import ChatEngine
import ChatModel
import Gateway
import WireProtocol

extension Simulator {
    /// One turn of a loop: everything that has been delivered to it reaches its clients.
    func turn(_ server: SimulatedServer, _ loop: Int) {
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
}
