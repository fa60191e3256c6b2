import ChatDomain
import ChatModel
import Gateway

/// Begins connections: one turn, or several for a user in many channels.
extension ChatEngine {
    /// In more channels, a user is served on the engine's own thread: the first turn may run on a loop's.
    private static var channelsOnLoop: Int { 100 }

    /// Begins a connection once this node has applied what it must see, and its user exists.
    func beginWhenReadable(_ request: AttachRequest) -> Rest? {
        let user = request.user
        // Only if it waits; a flag that the closures share.
        var isWaiting = false
        return whenReadable(
            .user(user), admitsNewcomer: true, seesLatest: true, positions: request.positions, request.address,
            waits: {
                isWaiting = true
                cluster?.connections.beginAttachment(user)
            },
            abandoned: { $0.endAttachment(of: user) },
            { engine in
                defer { if isWaiting { engine.endAttachment(of: user) } }
                return engine.begin(request)
            })
    }

    /// - Parameter survey: What earlier turns found.
    /// - Returns: The next turn, for a user in many channels.
    func begin(_ request: AttachRequest, _ survey: ChannelSurvey? = nil) -> Rest? {
        if let refusal = refusal(of: .user(request.user), true) {
            refuse(refusal, request.address)
            return nil
        }
        // Checked again, as a revocation may have arrived after the token was verified.
        if request.identity.wasIssued(before: state.tokensRevokedBefore(request.user)) {
            refuse(Rejection(.unauthorized, "the token has been revoked"), request.address)
            return nil
        }
        guard admitIfNew(.user(request.user)) else {
            answer(.failure(Rejection(.storageUnavailable)), to: request.address)
            return nil
        }
        let isFirst = survey == nil
        if isFirst { work.charge(WorkCost.command) }
        let survey = survey ?? ChannelSurvey(of: request.user, in: state)
        if isFirst, survey.channelCount > Self.channelsOnLoop { return Rest { $0.begin(request, survey) } }
        guard survey.advance(in: state, work) else {
            metrics.slices.increment()
            return Rest { $0.begin(request, survey) }
        }
        attach(request, survey)
        return nil
    }

    private func attach(_ request: AttachRequest, _ survey: ChannelSurvey) {
        let effects = arrive(request.user)
        guard let person = state.person(request.user, live.presence) else {
            return answer(.failure(Rejection(.internal)), to: request.address)
        }
        let (standings, unread) = survey.arrival(joiningRooms: request.subscribe == .joined, in: state, work)
        for standing in standings { chargeRecovery(of: standing, from: request.positions[standing.room]) }
        log.mark(
            Outcome(
                effects: effects,
                answer: .attach(
                    request, standings, person, unread, emojiHash: state.emojiHash, settings.client)))
    }
}
