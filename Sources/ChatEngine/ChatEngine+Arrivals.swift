import ChatDomain
import ChatModel
import Gateway
import WireProtocol

/// Begins connections: one turn, or several for a user in many channels.
extension ChatEngine {
    /// - Parameter earlier: What earlier turns counted.
    /// - Returns: The next turn, for a user in many channels.
    func begin(_ request: AttachRequest, _ earlier: Arrival? = nil) -> Rest? {
        if let refusal = refusal(of: .user(request.user), true) {
            refuse(refusal, request.address)
            return nil
        }
        // Checked again, as a revocation may have arrived after the token was verified.
        if request.identity.isIssued(before: state.tokensRevokedBefore(request.user)) {
            refuse(Rejection(.unauthorized, "token"), request.address)
            return nil
        }
        guard admitInPassing(.user(request.user)) else {
            answer(.failure(Rejection(.storageUnavailable)), to: request.address)
            return nil
        }
        if earlier == nil { work.charge(WorkCost.command) }
        var arrival = earlier ?? Arrival(of: request.user, joinsRooms: request.subscribe == .joined, in: state)
        guard arrival.advance(in: state, work) else {
            metrics.slices.increment()
            return Rest { [arrival] in $0.begin(request, arrival) }
        }
        attach(request, arrival)
        return nil
    }

    private func attach(_ request: AttachRequest, _ arrival: Arrival) {
        let effects = arrive(request.user)
        guard let person = state.person(request.user, live.presence) else {
            return answer(.failure(Rejection(.internal)), to: request.address)
        }
        let (standings, unread) = arrival.finish(in: state, work)
        for standing in standings { chargeRecovery(of: standing, from: request.positions[standing.room]) }
        log.mark(
            Outcome(
                effects: effects,
                answer: .attach(
                    request, standings, person, unread, emojiHash: state.emojiHash, settings.client)))
    }
}
