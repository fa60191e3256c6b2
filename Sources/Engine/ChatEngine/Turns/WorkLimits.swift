/// The average rate and the burst that the engine grants one payer.
package struct WorkRate: Sendable, Equatable {
    /// At least 1.
    package var perSecond: Int
    package var burst: Int

    package init(perSecond: Int, burst: Int) {
        self.perSecond = max(1, perSecond)
        self.burst = max(0, burst)
    }
}

/// What one kind of payer may use: engine time in microseconds, and bytes of commands.
package struct WorkAllowance: Sendable, Equatable {
    package var work: WorkRate
    package var bytes: WorkRate

    package init(work: WorkRate, bytes: WorkRate) {
        self.work = work
        self.bytes = bytes
    }
}

package struct WorkLimits: Sendable, Equatable {
    /// For one user, over all connections and requests.
    package var user = WorkAllowance(
        work: WorkRate(perSecond: 100_000, burst: 500_000), bytes: WorkRate(perSecond: 262_144, burst: 8_388_608))
    package var guest = WorkAllowance(
        work: WorkRate(perSecond: 25_000, burst: 125_000), bytes: WorkRate(perSecond: 32_768, burst: 1_048_576))
    /// For all guests of one address together; an IPv6 address counts as its /64 network.
    package var guestsPerAddress = WorkAllowance(
        work: WorkRate(perSecond: 100_000, burst: 500_000), bytes: WorkRate(perSecond: 131_072, burst: 4_194_304))

    package init() {}
}
