/// A promise that a history breaks.
package struct Violation: Equatable, Sendable, CustomStringConvertible {
    package enum Promise: String, Sendable {
        case nothingLost = "no acknowledged event is lost or doubled"
        case denseOffsets = "offsets are dense and never reused"
        case contiguousSlices = "every subscriber hears a contiguous slice"
        case durableFirst = "nothing leaves before it is durable"
        case recovery = "who comes back gets what was missed, or is told that it cannot be had"
        case answersHold = "what was answered stays so"
        case onceOnly = "what is sent again exists once"
        case replay = "what was read back from the journal is what was there"
        case noSilence = "a damaged store is refused, or what was cut off is reported"
        case plainSpeech = "the server says what its protocol allows, and answers everything"
        case revocation = "whose token was revoked is sent away, and not let in again with it"
        case guests = "guests are in public channels alone, and forgotten when away for long, not before"
        case silence = "whoever is muted, or ordinary in a frozen channel, does nothing that others see"
        case comesUp = "the server comes up again"
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
