/// A promise that a history breaks.
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
    /// The moment of the history, from 0, at which it showed.
    package let moment: Int

    package init(_ promise: Promise, _ what: String, at moment: Int) {
        self.promise = promise
        self.what = what
        self.moment = moment
    }

    package var description: String { "\(promise.rawValue): \(what) (moment \(moment))" }
}

/// Looks at one promise, one moment of a history after the other.
protocol Check {
    mutating func see(_ moment: History.Moment) throws(Broken)
}

/// What a check found at the moment that it was shown.
struct Broken: Error {
    let promise: Violation.Promise
    let what: String
    init(_ promise: Violation.Promise, _ what: String) {
        self.promise = promise
        self.what = what
    }
}

extension History {
    /// The first violation that each check finds.
    ///
    /// - Parameter forgetsEvents: Whether the rooms' rings were so short that a recovery may be refused for it alone.
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
            do throws(Broken) { try check.see(moment) } catch {
                return Violation(error.promise, error.what, at: index)
            }
        }
        return nil
    }
}

extension Simulated {
    package func violations() -> [Violation] { history.violations(forgetsEvents: options.forgetsEvents) }
}
