/// A guarantee that was broken.
package struct Violation: Equatable, Sendable, CustomStringConvertible {
    package enum Guarantee: String, Sendable {
        case nothingLost = "no acknowledged event is lost or duplicated"
        case denseOffsets = "offsets are dense and never reused"
        case contiguousSlices = "every subscriber receives a contiguous slice"
        case durableFirst = "nothing is sent before it is durable"
        case recovery = "a returning client receives what it missed, or learns that it cannot"
        case answersHold = "acknowledged replies stay true"
        case onceOnly = "a repeated send is stored once"
        case replay = "recovered state equals the earlier state"
        case damageReported = "damage is refused, or the cut is reported"
        case protocolFollowed = "the server follows its protocol and replies to every command"
        case revocation = "revoked tokens end connections and are not accepted again"
        case guests = "guests are only in public channels, and are removed only after a long absence"
        case silence = "muted users, and ordinary members of a frozen channel, do nothing that others see"
        case endings = "messages end once, when their time is over, and not before"
        case erasure = "nothing of a deleted user is left"
        case startsAgain = "the server starts again"
        case oneLog = "all nodes have one log"
        case oneAnswer = "each command is carried out and answered once"
        case nodesStay = "no node leaves its cluster without a fault"
        case freshReads = "no read goes backwards, whichever node answers it"
        case presence = "users are online while some node has them connected"
    }

    package let guarantee: Guarantee
    package let detail: String
    /// The index of the moment at which the violation was detected, from 0.
    package let moment: Int

    package init(_ guarantee: Guarantee, _ detail: String, at moment: Int) {
        self.guarantee = guarantee
        self.detail = detail
        self.moment = moment
    }

    package var description: String { "\(guarantee.rawValue): \(detail) (moment \(moment))" }
}

/// Checks one guarantee, moment by moment.
protocol Check {
    mutating func observe(_ moment: History.Moment) throws(Broken)
}

/// A failed check, before its moment is attached.
struct Broken: Error {
    let guarantee: Violation.Guarantee
    let detail: String
    init(_ guarantee: Violation.Guarantee, _ detail: String) {
        self.guarantee = guarantee
        self.detail = detail
    }
}

extension History {
    /// Returns the first violation that each check finds.
    ///
    /// - Parameters:
    ///   - forgetsEvents: Whether rings were so short that a recovery may be refused for that reason alone.
    ///   - recoversInParts: Whether replies to recoveries were so short that pushes may follow.
    package func violations(forgetsEvents: Bool, recoversInParts: Bool = false) -> [Violation] {
        let checks: [any Check] = [
            JournalCheck(), RoomCheck(), DeliveryCheck(forgetsEvents: forgetsEvents), AnswerCheck(), StateCheck(),
            ProtocolCheck(), ReadingCheck(), BackendCheck(), RevocationCheck(), GuestCheck(),
            SilenceCheck(), EndingCheck(), OneLogCheck(), FreshReadCheck(recoversInParts: recoversInParts),
            PresenceCheck(), ErasureCheck(),
        ]
        return checks.compactMap { violation(by: $0) }
    }

    private func violation(by check: some Check) -> Violation? {
        var check = check
        for (index, moment) in moments.enumerated() {
            do throws(Broken) { try check.observe(moment) } catch {
                return Violation(error.guarantee, error.detail, at: index)
            }
        }
        return nil
    }
}

extension SimulationResult {
    package func violations() -> [Violation] {
        history.violations(forgetsEvents: options.forgetsEvents, recoversInParts: options.recoversInParts)
    }
}
