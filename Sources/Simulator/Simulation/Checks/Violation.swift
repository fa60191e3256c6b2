/// A broken guarantee.
package struct Violation: Equatable, Sendable, CustomStringConvertible {
    package enum Promise: String, Sendable {
        case nothingLost = "no acknowledged event is lost or doubled"
        case denseOffsets = "offsets are dense and never reused"
        case contiguousSlices = "every subscriber hears a contiguous slice"
        case durableFirst = "nothing leaves before it is durable"
        case recovery = "a returning client gets what it missed, or is told that it cannot"
        case answersHold = "answers stay true"
        case onceOnly = "a repeated send exists once"
        case replay = "recovered state equals the state before"
        case noSilence = "damage is refused, or what was cut off is reported"
        case plainSpeech = "the server follows its protocol and answers everything"
        case revocation = "revoked tokens end connections and are not accepted again"
        case guests = "guests are in public channels only, and are removed after a long absence and not before"
        case silence = "muted members, and ordinary members of a frozen channel, do nothing that others see"
        case comesUp = "the server starts again"
    }

    package let promise: Promise
    package let what: String
    /// The index of the moment in the history when it was detected, from 0.
    package let moment: Int

    package init(_ promise: Promise, _ what: String, at moment: Int) {
        self.promise = promise
        self.what = what
        self.moment = moment
    }

    package var description: String { "\(promise.rawValue): \(what) (moment \(moment))" }
}

/// Checks one guarantee, moment by moment.
protocol Check {
    mutating func observe(_ moment: History.Moment) throws(Broken)
}

/// A failed check, before its moment is attached.
struct Broken: Error {
    let promise: Violation.Promise
    let what: String
    init(_ promise: Violation.Promise, _ what: String) {
        self.promise = promise
        self.what = what
    }
}

extension History {
    /// Returns the first violation that each check finds.
    ///
    /// - Parameter forgetsEvents: Whether rings were so short that a recovery may be refused for that reason alone.
    package func violations(forgetsEvents: Bool) -> [Violation] {
        let checks: [any Check] = [
            JournalCheck(), RoomCheck(), HearingCheck(forgetsEvents: forgetsEvents), AnswerCheck(), StateCheck(),
            SpeechCheck(), ReadingCheck(), BackendCheck(), RevocationCheck(), GuestCheck(),
            SilenceCheck(),
        ]
        return checks.compactMap { violation(by: $0) }
    }

    private func violation(by check: some Check) -> Violation? {
        var check = check
        for (index, moment) in moments.enumerated() {
            do throws(Broken) { try check.observe(moment) } catch {
                return Violation(error.promise, error.what, at: index)
            }
        }
        return nil
    }
}

extension SimulationResult {
    package func violations() -> [Violation] { history.violations(forgetsEvents: options.forgetsEvents) }
}
