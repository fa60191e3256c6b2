import ChatModel
import Testing

@testable import Transport

/// Issue 20, A6: one user could write 385 MiB/s of files.
@Suite struct UploadRatesTests {
    private let ann = UserID("ann")
    private let bob = UserID("bob")

    private func rates(_ perSecond: Int, burst: Int, largest: Int = 1) -> UploadRates {
        var limits = UploadRates.Limits()
        (limits.bytesPerSecond, limits.burst) = (perSecond, burst)
        return UploadRates(limits, largest: largest)
    }

    @Test func `a user has a burst of bytes and then a rate, and others are unaffected`() throws {
        let (ann, bob) = (try #require(self.ann), try #require(self.bob))
        let rates = rates(1_000, burst: 5_000)
        #expect(rates.charge(ann, 3_000, now: 0) == nil)
        #expect(rates.charge(ann, 2_000, now: 0) == nil)
        #expect(rates.charge(ann, 1, now: 0) == 1)
        #expect(rates.charge(ann, 1_500, now: 0) == 1_500)
        #expect(rates.charge(bob, 5_000, now: 0) == nil)
        #expect(rates.charge(ann, 1_500, now: 1_499) == 1)
        #expect(rates.charge(ann, 1_500, now: 1_500) == nil)
        #expect(rates.charge(ann, 5_000, now: 6_499) == 1)
        #expect(rates.charge(ann, 5_000, now: 6_500) == nil)
    }

    @Test func `after a pause the largest file is always accepted, and setting the clock back gains nothing`() throws {
        let ann = try #require(self.ann)
        let rates = rates(1_000, burst: 10, largest: 4_000)
        #expect(rates.charge(ann, 4_000, now: 1_000) == nil)
        #expect(rates.charge(ann, 4_000, now: 1_000) == 4_000)
        #expect(rates.charge(ann, 4_000, now: .min) == 4_000)
        #expect(rates.charge(ann, 4_000, now: 5_000) == nil)
        #expect(rates.charge(ann, .max, now: .max) == nil)
    }

    @Test func `users who have not uploaded for a while are discarded`() throws {
        let rates = rates(1_000, burst: 1_000)
        for number in 0..<3_000 {
            let user = try #require(UserID("user \(number)"))
            #expect(rates.charge(user, 1_000, now: Int64(number) * 10) == nil)
        }
        #expect(rates.count <= 2_000)
    }
}
