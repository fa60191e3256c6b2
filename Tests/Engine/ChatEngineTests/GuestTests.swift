import ChatDomain
import ChatEngine
import ChatModel
import Gateway
import Synchronization
import Testing

private let guest = UserID.guest(1, 2)

private func settings(areWelcome: Bool = true) -> ChatSettings {
    var settings = ChatSettings()
    settings.guests.isEnabled = areWelcome
    settings.guests.awaySeconds = 1
    return settings
}

/// A clock advanced by the test.
private final class SteppedClock: Sendable {
    private let milliseconds = Mutex<Int64>(1_780_000_000_000)
    var now: Int64 { milliseconds.withLock(\.self) }
    func advance(_ step: Int64) { milliseconds.withLock { $0 += step } }
}

extension Bench {
    fileprivate func admit(_ command: UInt32) {
        engine.change(
            AdmitGuest(id: guest, nickname: nil), as: .server, answerTo: address(command))
        settle()
    }

    fileprivate func look() {
        engine.scanGuestsNow()
        settle()
        log.sync()
    }
}

@Suite struct GuestTests {
    private let time = SteppedClock()

    private func bench(_ log: HandDrivenLog = HandDrivenLog(), areWelcome: Bool = true) -> Bench {
        Bench(log: log, settings: settings(areWelcome: areWelcome), clock: { [time] in time.now })
    }

    @Test func `an expired guest is removed, and the guest's token creates no other user`() {
        let bench = bench()
        bench.admit(1)
        bench.attach(guest, 2)
        bench.log.sync()
        #expect(bench.ear.news() == ["answer 1", "attached 2 \(guest) #\(guest)@0"])
        time.advance(5_000)
        bench.look()
        #expect(bench.log.frames.last?.map(\.event) == [.guestSeen(guest)], "who is connected is there")
        time.advance(500)
        bench.detach(guest)
        time.advance(500)
        bench.look()
        bench.look()
        #expect(bench.log.frames.count == 3)
        #expect(bench.log.frames.last?.map(\.event) == [.guestSeen(guest)], "who left is known to have been there")
        time.advance(1_000)
        bench.look()
        #expect(bench.log.frames.last?.map(\.event) == [.guestRemoved(guest)])
        bench.attach(guest, 3)
        bench.query(GetUser(), as: guest, 4)
        bench.log.sync()
        #expect(bench.ear.news() == ["answer 3 101", "answer 4 101"])
    }

    @Test func `guests are restored from the log or the state, and removed when due`() {
        let first = bench()
        first.admit(1)
        first.log.sync()
        for base in [0, first.log.frames.count] {
            let second = bench(HandDrivenLog(frames: first.log.frames, base: base))
            second.query(GetUser(), as: guest, 2)
            #expect(second.ear.news() == ["answer 2"])
        }
        time.advance(1_000)
        let third = bench(HandDrivenLog(frames: first.log.frames))
        third.look()
        #expect(third.log.frames.last?.map(\.event) == [.guestRemoved(guest)])
    }

    @Test func `once guests are disabled, existing guests cannot run commands and are still removed`() {
        let first = bench()
        first.admit(1)
        first.log.sync()
        let second = bench(HandDrivenLog(frames: first.log.frames), areWelcome: false)
        second.query(GetUser(), as: guest, 2)
        second.attach(guest, 3)
        #expect(second.ear.news() == ["answer 2 1018", "answer 3 1018"])
        time.advance(1_000)
        second.look()
        #expect(second.log.frames.last?.map(\.event) == [.guestRemoved(guest)])
    }

    @Test func `removing a guest also discards the revocation of the guest's tokens`() {
        let bench = bench()
        bench.admit(1)
        bench.log.sync()
        let second = time.now / 1_000
        bench.engine.change(RevokeTokens(userID: guest, before: second), as: .server, answerTo: bench.address(2))
        bench.settle()
        let older = Identity(user: guest, validFor: nil, issuedAt: second - 1)
        #expect(bench.engine.revokedTokens.refuses(older))
        time.advance(1_000)
        bench.look()
        #expect(bench.log.frames.last?.map(\.event) == [.guestRemoved(guest)])
        #expect(!bench.engine.revokedTokens.refuses(older), "nobody has that name ever again")
    }

    @Test func `when the log is full, no guest is removed and nothing is lost`() {
        let bench = bench()
        bench.admit(1)
        bench.log.sync()
        time.advance(1_000)
        bench.log.fill()
        bench.look()
        #expect(bench.log.frames.count == 1 && bench.log.reserved == 0)
        bench.log.empty()
        bench.look()
        #expect(bench.log.frames.count == 2)
    }

    // MARK: Where they come from

    private func crowd(atMost: Int) -> Bench {
        var settings = settings()
        settings.guests.limit = atMost
        return Bench(settings: settings, clock: { [time] in time.now })
    }

    /// - Returns: Whether the guest was admitted.
    private func comes(_ bench: Bench, _ number: UInt64, from own: String, in network: String) -> Bool {
        let newcomer = UserID.guest(number, 7)
        let before = bench.log.frames.count
        bench.engine.admit(
            AdmitGuest(id: newcomer, nickname: nil),
            answerTo: ReturnAddress(
                connection: ConnectionID(loop: 0, serial: 1), command: 1,
                guestOrigin: GuestOrigin(block: own, network: network)))
        bench.settle()
        return bench.log.frames.count > before
    }

    @Test func `no address or network can take all guest places, and some are reserved for the app`() {
        let bench = crowd(atMost: 1_000)
        var number: UInt64 = 0
        func fill(_ own: (Int) -> String, _ network: (Int) -> String) -> Int {
            var taken = 0
            for index in 0..<400 {
                number += 1
                if comes(bench, number, from: own(index), in: network(index)) { taken += 1 }
            }
            return taken
        }
        #expect(fill({ _ in "a" }, { _ in "n" }) == 125, "an eighth from one address")
        #expect(fill({ "a\($0)" }, { _ in "n" }) == 125, "a quarter from one network")
        #expect(fill({ "b\($0)" }, { "m\($0)" }) == 400)
        #expect(fill({ "c\($0)" }, { "l\($0)" }) == 250, "nine tenths in all")
        let before = bench.log.frames.count
        bench.engine.change(
            AdmitGuest(id: guest, nickname: nil), as: .server, answerTo: bench.address(2))
        bench.settle()
        #expect(bench.log.frames.count > before, "one whom the app makes")
    }

    @Test func `removing a guest frees a place for the guest's address`() {
        let bench = crowd(atMost: 160)
        for number in 0..<20 as Range<UInt64> { #expect(comes(bench, number, from: "a", in: "n")) }
        #expect(!comes(bench, 20, from: "a", in: "n"), "an eighth of the places")
        bench.log.sync()
        for _ in 0..<4 {
            time.advance(5_000)
            bench.look()
        }
        for number in 30..<50 as Range<UInt64> { #expect(comes(bench, number, from: "a", in: "n")) }
        #expect(!comes(bench, 50, from: "a", in: "n"))
    }
}
