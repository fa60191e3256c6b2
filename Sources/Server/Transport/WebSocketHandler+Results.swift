import ChatEngine
import ChatModel
import EventLoops
import Gateway
import Logging
import WebSocketCodec
import WireProtocol

/// Delivers the chat's results to the client and the session.
extension WebSocketHandler {
    func answered(_ command: UInt32, _ answer: Answer) {
        guard session.isLive else {
            // The chat could not attach the session. The client may reconnect unless it is banned.
            guard case .failure(let rejection) = answer else { return perform(session.close(.serverError)) }
            switch rejection.code {
            // The token was revoked between its verification and this command, so treat it as invalid.
            case .unauthorized: return perform(session.close(.invalidToken))
            case .userDeactivated, .bannedFromApp, .featureDisabled:
                refuse(command, rejection)
                return perform(session.close(.forceNoReconnect))
            default:
                refuse(command, rejection)
                return perform(session.close(.serverError))
            }
        }
        switch answer {
        case .success(let result): send(.rpc(id: command, data: encoder.encode(result)))
        case .failure(let rejection): refuse(command, rejection)
        }
        perform(session.answered(command))
        resume()
    }

    func attached(_ command: UInt32, _ attachment: Attachment) {
        guard let identity = session.attached(now: server.now) else { return server.hub.returnGrants(of: attachment) }
        receiver.limits = server.limits.webSocket
        // Most clients only listen from now on.
        receiver.releaseEmptyBuffer()
        // A client that keeps reconnecting without reading recovers no more than its share of the unread bytes.
        let data = encoder.encode(ConnectData(attachment))
        let roomBytes = server.limits.connectReplyBytes
        connection.withReservedUnread(roomBytes + ConnectReply.overflowBytes) { granted in
            let reply = ConnectReply(
                grants: attachment.grants, roomBytes: min(roomBytes, granted),
                overflowBytes: max(0, granted - roomBytes))
            send(
                .connected(
                    id: command,
                    ConnectResult(
                        client: clientName, version: services.identity.version, session: clientName,
                        node: services.identity.node,
                        ttl: identity.ttlSeconds, pingSeconds: session.pingSeconds, data: data, subs: reply.subs)),
                isPlain: true)
            for envelope in reply.overflow { send(envelope) }
        }
        server.hub.attach(connection, as: identity, follows: session.followsChannels, to: attachment.grants)
        services.logger.info(
            "session opened", metadata: ["connection": "\(connection.id)", "user": "\(identity.user)"])
        resume()
    }

    func subscribed(_ command: UInt32, _ result: Result<RoomGrant, Rejection>) {
        switch result {
        case .failure(let rejection): refuse(command, rejection)
        case .success(let grant) where server.hub.isMember(connection, of: grant.room):
            // The client subscribed twice, or gained the room meanwhile: do not subscribe it again.
            server.hub.returnGrants([grant])
            refuse(command, Rejection(.alreadySubscribed))
        case .success(let grant):
            connection.withReservedUnread(ConnectReply.subscribeBytes) { granted in
                send(.subscribed(id: command, SubscribeResult(grant, bytes: granted)))
            }
            server.hub.enter(connection, grant)
        }
        perform(session.answered(command))
        resume()
    }
}
