import WireProtocol

/// Calls by the app, executed immediately if connected, otherwise once the client connects.
extension ClientSession {
    mutating func call(_ id: CallID, _ operation: WaitingCalls.Operation, now: Int64) -> [Action] {
        let call = WaitingCalls.Call(id: id, operation: operation, deadline: now + settings.commandMilliseconds)
        if let error = refusal(of: operation) {
            fail(call, error)
        } else if isLive {
            start(call, now: now)
        } else {
            waiting.add(call)
        }
        return drainActions()
    }

    /// Stops waiting for a call. The server still executes a command that was already sent.
    mutating func cancel(_ id: CallID) -> [Action] {
        waiting.remove(id)
        return drainActions()
    }

    private func refusal(of operation: WaitingCalls.Operation) -> BelfryError? {
        if case .idle = phase { return .disconnected }
        var bytes = 0
        if case .rpc(let method, let data) = operation {
            // Room for the envelope around the data: names, quotes and a number.
            bytes = data.count + method.utf8.count * 6 + 64
            if bytes > settings.commandBytes { return .tooLong(limit: settings.commandBytes) }
        }
        let isFull = calls.count + waiting.count >= settings.calls
        return isFull || calls.bytes + waiting.bytes + bytes > settings.callBytes ? .tooManyCalls : nil
    }

    mutating func start(_ call: WaitingCalls.Call, now: Int64) {
        switch call.operation {
        case .connection: actions.append(.complete(call.id, .success([])))
        case .rpc(let method, let data):
            send(.rpc(method: method, data: data[...]), for: .rpc(call.id), bytes: data.count, now: now)
        case .subscribe(let room):
            if rooms[room]?.isSubscribed == true {
                actions.append(.complete(call.id, .success([])))
            } else {
                rooms.addWanted(room)
                subscribe(room, for: call.id, now: now)
            }
        }
    }

    mutating func unsubscribe(_ room: String, _ id: CallID, now: Int64) -> [Action] {
        let wasSubscribed = rooms[room]?.isSubscribed == true
        rooms.remove(room)
        guard isLive, wasSubscribed else {
            actions.append(.complete(id, .success([])))
            return drainActions()
        }
        actions.append(.unsubscribed(room: room))
        send(.unsubscribe(channel: room), for: .unsubscribe(call: id), now: now)
        return drainActions()
    }

    mutating func send(
        _ command: ClientEnvelope.Command, for purpose: CallTable.Purpose, bytes: Int = 0, now: Int64
    ) {
        let id = calls.add(purpose, bytes: bytes, deadline: now + settings.commandMilliseconds)
        actions.append(.send(ClientEnvelope(id: id, command: command).encoded()))
    }

    mutating func fail(_ call: WaitingCalls.Call, _ error: BelfryError) {
        actions.append(.complete(call.id, .failure(error)))
    }

    // MARK: Answers

    mutating func answered(_ id: UInt32, _ reply: ServerMessage.Reply, now: Int64) {
        guard let purpose = calls.remove(id) else { return }
        if case .error(let code, let message, let temporary) = reply {
            return refused(
                purpose, BelfryError(code: code, message: message, isTemporary: temporary), now: now)
        }
        switch (purpose, reply) {
        case (.connect, .connected(let result)): connected(result, now: now)
        case (.subscribe(let room, let call), .subscribed(let result)):
            // The app may have unsubscribed while the command was in progress.
            if rooms[room] != nil {
                enter(room, result, origin: .client)
            } else {
                send(.unsubscribe(channel: room), for: .unsubscribe(call: nil), now: now)
            }
            if let call { actions.append(.complete(call, .success([]))) }
        case (.unsubscribe(let call), .unsubscribed):
            if let call { actions.append(.complete(call, .success([]))) }
        case (.refresh, .refreshed(let ttl)): refreshed(ttl, now: now)
        case (.rpc(let call), .rpc(let data)): actions.append(.complete(call, .success(data)))
        default: retry(.lost("the server answered with something else"))
        }
    }

    private mutating func refused(_ purpose: CallTable.Purpose, _ error: BelfryError, now: Int64) {
        switch purpose {
        case .connect: connectRefused(error)
        case .refresh: refreshFailed(now: now)
        case .rpc(let call): actions.append(.complete(call, .failure(error)))
        case .unsubscribe(let call): if let call { actions.append(.complete(call, .failure(error))) }
        case .subscribe(let room, let call): subscribeRefused(room, call, error, now: now)
        }
    }

    /// Handles a command whose connection was lost before the answer arrived.
    mutating func abandon(_ purpose: CallTable.Purpose) {
        switch purpose {
        case .connect, .refresh: break
        // Without a connection there is no subscription, so the request is satisfied.
        case .unsubscribe(let call): if let call { actions.append(.complete(call, .success([]))) }
        case .rpc(let call):
            actions.append(.complete(call, .failure(.outcomeUnknown("the connection was lost"))))
        case .subscribe(_, let call):
            // The room stays wanted, so the client subscribes to it on the next connection.
            if let call { actions.append(.complete(call, .failure(.outcomeUnknown("the connection was lost")))) }
        }
    }

    mutating func timeOut(_ purpose: CallTable.Purpose, now: Int64) {
        switch purpose {
        case .rpc(let call): actions.append(.complete(call, .failure(.outcomeUnknown("no answer in time"))))
        case .refresh: refreshFailed(now: now)
        // The two sides may disagree about the state: reconnect.
        case .connect, .subscribe, .unsubscribe:
            abandon(purpose)
            if case .waiting = phase { return }
            retry(.lost("no answer in time"))
        }
    }
}
