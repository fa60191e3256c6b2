import BelfryClient
import Histogram
import Testing

@testable import BelfryLoad

/// Violations that invalidate a report.
struct ResultTests {
    private let pace = Pace(rate: 10, warmupSeconds: 0, seconds: 1)
    private let missing = Ledger.Findings(missing: 1, firstMissing: 3)

    private func channel() throws -> ChannelID { try #require(ChannelID("c")) }

    @Test func `fanout: a missing or unacknowledged message invalidates the report`() throws {
        let plan = FanoutPlan(
            run: "r", channel: try channel(), subscribers: 1, publishers: 1, pace: pace, textBytes: 1, loops: 1,
            drainSeconds: 1)
        func isGood(_ findings: Ledger.Findings, losses: [String] = [], failing: Bool = false) -> Bool {
            var found = FanoutShare.Findings(stretches: [CountedValues(.latency())])
            found.hearing.add("ann", findings, losses: losses, to: &found.problems)
            let sends = SendTally()
            sends.recordSent(late: 0)
            if failing { sends.recordFailure(0, "no") } else { sends.recordAcknowledgement(after: 1, isMeasured: true) }
            var result = FanoutResult(plan: plan, setupSeconds: 0)
            result.conclude([.init(delivered: 1, findings: found)], sends)
            return result.report.isGood
        }
        #expect(isGood(.init()))
        #expect(!isGood(missing))
        #expect(!isGood(.init(doubled: 1)))
        let swapped = Ledger.Findings(outOfOrder: 1, firstOutOfOrder: .init(expected: 1, received: 2))
        #expect(!isGood(swapped))
        #expect(!isGood(.init(), losses: ["no ping"]))
        #expect(!isGood(.init(), failing: true))
    }

    @Test func `storm: a client with a loss or gap, or one that does not return, invalidates the report`() throws {
        let plan = StormPlan(
            run: "r", rooms: [try channel()], clients: 1, history: 0, missed: 1, textBytes: 1, loops: 1,
            patienceSeconds: 1, speaksTLS: false)
        func isGood(hearing sequences: [Int], offsets: [UInt64], recovered: Bool?) throws -> Bool {
            let subscriber = try Subscriber(
                name: "ann", configuration: .init(url: "ws://127.0.0.1:1/") { "" }, channel: plan.rooms[0], run: "r",
                messages: plan.messages
            ) { _, _ in }
            for offset in offsets { subscriber.ledger.record(offset: offset) }
            for sequence in sequences { _ = subscriber.ledger.record(message: sequence) }
            let back = ClientReturn()
            if let recovered { back.recordConnected(after: 1, recovered: recovered) }
            if sequences.count == 2 { back.recordRecovered(after: 2) }
            var findings = StormFindings()
            findings.add(subscriber, back, messages: plan.messages)
            var result = StormResult(plan: plan)
            result.add(findings)
            return result.report.isGood
        }
        #expect(try isGood(hearing: [0, 1], offsets: [4, 5], recovered: true))
        #expect(try !isGood(hearing: [0], offsets: [4], recovered: true))
        #expect(try !isGood(hearing: [0, 1], offsets: [4, 6], recovered: true))
        #expect(try !isGood(hearing: [0, 1], offsets: [4, 5], recovered: false))
        #expect(try !isGood(hearing: [0, 1], offsets: [4, 5], recovered: nil))
        #expect(!StormResult(plan: plan).report.isGood)
    }

    @Test func `churn: a client left in the room, or a leak, invalidates the report`() throws {
        let plan = ChurnPlan(
            run: "r", channel: try channel(), concurrency: 1, users: 4, joinEvery: 1, pace: pace, loops: 1,
            settleSeconds: 1, speaksTLS: false)
        func isGood(membersLeft: Int = 0, descriptors: Int = 10, failing: Bool = false) -> Bool {
            let ledger = ChurnLedger(measured: 0, pace: pace)
            ledger.recordConnect(began: 1, took: 1)
            if failing { ledger.recordFailure("no") }
            var result = ChurnResult(plan: plan)
            result.add(ledger)
            result.membersLeft = membersLeft
            result.compare(.init(memory: 1, descriptors: 10), .init(memory: 1, descriptors: descriptors))
            return result.report.isGood
        }
        #expect(isGood())
        #expect(!isGood(membersLeft: 1))
        #expect(!isGood(descriptors: 30))
        #expect(!isGood(failing: true))
    }

    @Test func `idle: a client that is absent, not notified or lost invalidates the report`() throws {
        let plan = IdlePlan(
            run: "r", channels: [try channel()], steps: [1], rooms: 1, loops: 1, settleSeconds: 0, speaksTLS: false)
        func isGood(_ found: IdleShare.Answer) -> Bool {
            var result = IdleResult(plan: plan, memoryBefore: 1)
            result.found = found
            return result.report.isGood
        }
        #expect(isGood(.init()))
        #expect(!isGood(.init(notConnected: 1)))
        #expect(!isGood(.init(notTold: 1)))
        #expect(!isGood(.init(lost: 1)))
    }

    @Test func `mixed: a final state that differs at the server invalidates the report`() {
        let plan = MixedPlan(
            run: "r", seating: Seating(rooms: 1, of: 2, roomsPerUser: 1, seed: 1), roomsPerUser: 1, roomSize: 2,
            shares: .standard, zipfExponent: 1, seed: 1, pace: pace, textBytes: 1, loops: 1, drainSeconds: 1)
        var result = MixedResult(plan: plan, setupSeconds: 0)
        #expect(result.report.isGood)
        result.wrongMarkers = 1
        #expect(!result.report.isGood)
        (result.wrongMarkers, result.wrongReactions) = (0, 1)
        #expect(!result.report.isGood)
    }

    @Test func `slow: a reader that misses something invalidates the report`() throws {
        let plan = FanoutPlan(
            run: "r", channel: try channel(), subscribers: 1, publishers: 1, pace: pace, textBytes: 1, loops: 1,
            drainSeconds: 1)
        var result = SlowResult(plan: plan, stalled: 1, halfSeconds: 1)
        #expect(result.report.isGood)
        result.hearing.add("ann", missing, losses: [], to: &result.problems)
        #expect(!result.report.isGood)
    }

    @Test func `goals are reported only for runs of the matching shape`() throws {
        func goals(subscribers: Int) throws -> Int {
            let plan = FanoutPlan(
                run: "r", channel: try channel(), subscribers: subscribers, publishers: 50,
                pace: Pace(rate: 400, warmupSeconds: 2, seconds: 10), textBytes: 300, loops: 1, drainSeconds: 1)
            return FanoutResult(plan: plan, setupSeconds: 0).report.figures.count { $0.goal != nil }
        }
        #expect(try goals(subscribers: 1_000) == 1)
        #expect(try goals(subscribers: 100) == 0)
    }
}
