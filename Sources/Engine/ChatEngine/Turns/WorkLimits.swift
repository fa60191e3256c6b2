/// The average rate and the burst that the engine grants one payer.
package struct WorkRate: Sendable, Equatable {
    /// At least 1.
    package var perSecond: Int
    package var atOnce: Int

    package init(perSecond: Int, atOnce: Int) {
        self.perSecond = max(1, perSecond)
        self.atOnce = max(0, atOnce)
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
        work: WorkRate(perSecond: 100_000, atOnce: 500_000), bytes: WorkRate(perSecond: 262_144, atOnce: 8_388_608))
    package var guest = WorkAllowance(
        work: WorkRate(perSecond: 25_000, atOnce: 125_000), bytes: WorkRate(perSecond: 32_768, atOnce: 1_048_576))
    /// For all guests of one address together; an IPv6 address counts as its /64 network.
    package var guestsOfAddress = WorkAllowance(
        work: WorkRate(perSecond: 100_000, atOnce: 500_000), bytes: WorkRate(perSecond: 131_072, atOnce: 4_194_304))

    package init() {}
}
