import ChatModel

extension RegisterDevice: Change {
    private var device: Device { Device(provider: provider, token: token) }

    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let user = try state.actingUser(context)
        try checkToken()
        guard !user.devices.contains(device) else { return Decision([]) }
        var events: [Event] = []
        // The device now belongs to this user, so it must not show messages for its previous owner.
        if let owner = state.deviceOwners[device] { events.append(.deviceUnregistered(owner, device)) }
        if user.devices.count >= FieldLimits.devicesPerUser, let oldest = user.devices.first {
            events.append(.deviceUnregistered(user.id, oldest))
        }
        return Decision(events + [.deviceRegistered(user.id, device)])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> DevicesResponse {
        DevicesResponse(devices: try state.actingUser(context).devices)
    }

    private func checkToken() throws(Rejection) {
        try FieldChecks.bytes(token, "token", atMost: FieldLimits.deviceTokenBytes)
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw Rejection(.invalidValue, "token: must be printable ASCII")
        }
    }
}

extension UnregisterDevice: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let user = try state.actingUser(context)
        let device = Device(provider: provider, token: token)
        return Decision(user.devices.contains(device) ? [.deviceUnregistered(user.id, device)] : [])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> DevicesResponse {
        DevicesResponse(devices: try state.actingUser(context).devices)
    }
}

extension SetChannelPush: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let user = try state.actingUser(context)
        let channel = try state.joinedChannel(channelID, by: context.caller)
        guard channel.members[user.id]?.push != push else { return Decision([]) }
        return Decision([.channelPushChanged(channelID, user.id, push)])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> ChannelResponse {
        try state.answer(channelID, context)
    }
}
