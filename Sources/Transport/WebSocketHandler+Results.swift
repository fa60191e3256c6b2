import ChatModel
import EventLoops
import Gateway
import Logging
import WebSocketCodec
import WireProtocol

/// What the chat has decided, told to the client and to the session.
extension WebSocketHandler {
    func answered(_ command: UInt32, _ answer: Answer) {
        guard session.isLive else {
            // The chat could not take the newcomer in; it may come back, unless it is shut out.
            guard case .failure(let rejection) = answer else { return perform(session.close(.serverError)) }
            switch rejection.code {
            // Revoked between the judgement of the token and the chat: the same as a little earlier.
            case .unauthorized: return perform(session.close(.invalidToken))
            case .userDeactivated, .featureDisabled:
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
        guard let identity = session.attached(now: server.now) else { return server.hub.decline(attachment) }
        let services = server.services
        receiver.limits = server.limits.webSocket
        // Whoever comes back again and again without reading recovers no more than their share of what may wait.
        let free = services.unread.free(for: identity.user)
        let reply = ConnectReply(
            grants: attachment.grants, roomBytes: min(server.limits.connectReplyBytes, free),
            overflowBytes: min(ConnectReply.overflowBytes, free))
        let data = encoder.encode(
            ConnectData(
                user: attachment.user, unread: attachment.unread, emojiHash: attachment.emojiHash,
                settings: attachment.settings))
        send(
            .connected(
                id: command,
                ConnectResult(
                    client: clientName, version: services.version, session: clientName, node: services.node,
                    ttl: identity.ttlSeconds, pingSeconds: session.pingSeconds, data: data, subs: reply.subs)),
            isPlain: true)
        for envelope in reply.overflow { send(envelope) }
        server.hub.attach(connection, as: identity, follows: session.followsChannels, to: attachment.grants)
        services.logger.info(
            "session opened", metadata: ["connection": "\(connection.id)", "user": "\(identity.user)"])
        resume()
    }

    func subscribed(_ command: UInt32, _ result: Result<RoomGrant, Rejection>) {
        switch result {
        case .failure(let rejection): refuse(command, rejection)
        case .success(let grant) where server.hub.isMember(connection, of: grant.room):
            // Asked twice, or gained meanwhile: what it hears must not be told again.
            server.hub.decline([grant])
            refuse(command, Rejection(.alreadySubscribed))
        case .success(let grant):
            let free = session.user.map { server.services.unread.free(for: $0) } ?? 0
            let result = SubscribeResult(grant, bytes: min(ConnectReply.subscribeBytes, free))
            send(.subscribed(id: command, result))
            server.hub.enter(connection, grant)
        }
        perform(session.answered(command))
        resume()
    }
}

/// `data` of the connect reply.
private struct ConnectData: Encodable, Sendable {
    let user: User
    /// Over all channels, as `read.counts` answers (`U1`).
    let unread: UnreadTotals
    /// A client that knows the list of this hash need not ask for it again.
    let emojiHash: String
    let settings: ClientSettings
    /// Of the chat's commands and events; raised when a client has to know.
    let protocolVersion = 1

    enum CodingKeys: String, CodingKey {
        case user, unread, settings
        case emojiHash = "emoji_hash"
        case protocolVersion = "protocol_version"
    }
}
