import Foundation
import Testing

@testable import BelfryLoad

@Suite struct UsageTests {
    @Test func `steal time is the eighth number of the first line`() {
        #expect(
            StolenTime.ticks(in: "cpu  326841 3930 82326 388956 5026 0 25295 360 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n")
                == 360)
        #expect(StolenTime.ticks(in: "cpu  1 2 3 4 5 6 7\n") == nil)
        #expect(StolenTime.ticks(in: "cpu0 1 2 3 4 5 6 7 8 9 10\n") == nil)
        #expect(StolenTime.ticks(in: "cpu  1 2 3 4 5 6 7 -8 9 10\n") == nil)
        #expect(StolenTime.ticks(in: "") == nil)
    }

    @Test func `steal time can be read on Linux`() {
        #expect(StolenTime.now() != nil)
    }

    @Test func `steal time of one percent of a core is reported, and less is not`() {
        let sample = Sample(server: .unknown)
        var usage = Usage(from: sample, to: sample)
        usage.serverCPU = 5
        usage.seconds = 10
        usage.stolen = 0.09
        #expect(usage.remarks(loops: 1) == [])
        usage.stolen = 0.25
        #expect(
            usage.remarks(loops: 1) == [
                "other machines on the same host took 0.25 s, 2.5 % of one core, which may have delayed messages"
            ])
        usage.stolen = nil
        #expect(usage.remarks(loops: 1) == [])
    }

    @Test func `a saturated machine is reported`() {
        let cores = Double(ProcessInfo.processInfo.activeProcessorCount)
        let sample = Sample(server: .unknown)
        var usage = Usage(from: sample, to: sample)
        (usage.seconds, usage.stolen) = (10, nil)
        (usage.serverCPU, usage.ownCPU) = (5 * cores, 3 * cores)
        #expect(usage.remarks(loops: 1_000) == [])
        usage.ownCPU = 4 * cores
        #expect(usage.remarks(loops: 1_000).count == 1)
        #expect(usage.remarks(loops: 1_000).first?.hasPrefix("server and tester together used") == true)
    }
}
