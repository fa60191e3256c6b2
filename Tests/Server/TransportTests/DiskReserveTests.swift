import Testing

@testable import Belfry

/// Issue 20, A6: uploads and messages filled the disk, which stopped everything else.
@Suite struct DiskReserveTests {
    @Test(
        arguments: [
            (2_000, .enough), (1_999, .noUploads), (1_000, .noUploads), (999, .noUserChanges), (750, .noUserChanges),
            (749, .noChanges), (0, .noChanges), (.max, .enough),
        ] as [(UInt64, DiskReserve.Level)])
    func `uploads are refused first, then users' changes, then server keys' changes`(
        free: UInt64, level: DiskReserve.Level
    ) {
        #expect(DiskReserve.level(free: free, capacity: .max, reserve: 1_000) == level)
    }

    @Test func `the reserve is at most a twentieth of the file system, and can be zero`() {
        #expect(DiskReserve.level(free: 100, capacity: 1_000, reserve: .max) == .enough)
        #expect(DiskReserve.level(free: 99, capacity: 1_000, reserve: .max) == .noUploads)
        #expect(DiskReserve.level(free: 49, capacity: 1_000, reserve: .max) == .noUserChanges)
        #expect(DiskReserve.level(free: 37, capacity: 1_000, reserve: .max) == .noChanges)
        #expect(DiskReserve.level(free: 0, capacity: 1_000, reserve: 0) == .enough)
        #expect(DiskReserve.level(free: 0, capacity: 0, reserve: 1_000) == .enough, "a file system that does not say")
        #expect(DiskReserve.level(free: .max, capacity: .max, reserve: .max) == .enough)
    }
}
