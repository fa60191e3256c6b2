/// What the engine does for one who asks, on average and at once.
package struct WorkRate: Sendable, Equatable {
    /// At least 1.
    package var perSecond: Int
    package var atOnce: Int

    package init(perSecond: Int, atOnce: Int) {
        self.perSecond = max(1, perSecond)
        self.atOnce = max(0, atOnce)
    }
}

/// What one kind of payer may ask for: work in microseconds of the engine's time, and bytes of commands.
package struct WorkAllowance: Sendable, Equatable {
    package var work: WorkRate
    package var bytes: WorkRate

    package init(work: WorkRate, bytes: WorkRate) {
        self.work = work
        self.bytes = bytes
    }
}

package struct WorkLimits: Sendable, Equatable {
    /// Of one user, over all connections and requests.
    package var user = WorkAllowance(
        work: WorkRate(perSecond: 100_000, atOnce: 500_000), bytes: WorkRate(perSecond: 262_144, atOnce: 8_388_608))
    package var guest = WorkAllowance(
        work: WorkRate(perSecond: 25_000, atOnce: 125_000), bytes: WorkRate(perSecond: 32_768, atOnce: 1_048_576))
    /// All guests of one address together; of one IPv6 network of 64 bits.
    package var guestsOfAddress = WorkAllowance(
        work: WorkRate(perSecond: 100_000, atOnce: 500_000), bytes: WorkRate(perSecond: 131_072, atOnce: 4_194_304))

    package init() {}
}
