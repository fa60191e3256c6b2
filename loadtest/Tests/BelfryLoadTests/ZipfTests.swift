import Testing

@testable import BelfryLoad

struct ZipfTests {
    private func draws(_ zipf: Zipf, seed: UInt64, count: Int) -> [Int] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { _ in zipf.next(&random) }
    }

    @Test func `the same seed draws the same values, and another seed different ones`() {
        let zipf = Zipf(count: 1_000, exponent: 1)
        #expect(draws(zipf, seed: 7, count: 100) == draws(zipf, seed: 7, count: 100))
        #expect(draws(zipf, seed: 7, count: 100) != draws(zipf, seed: 8, count: 100))
    }

    @Test func `shares decrease with the number, and draws follow them`() {
        let zipf = Zipf(count: 4, exponent: 1)
        // 1 + 1/2 + 1/3 + 1/4 = 25/12
        #expect(abs(zipf.share(of: 0) - 12.0 / 25) < 1e-9)
        #expect(abs(zipf.share(of: 3) - 3.0 / 25) < 1e-9)
        #expect(zipf.share(of: 4) == 0)
        let drawn = draws(zipf, seed: 1, count: 20_000)
        for number in 0..<4 {
            let share = Double(drawn.count { $0 == number }) / 20_000
            #expect(abs(share - zipf.share(of: number)) < 0.02)
        }
    }

    @Test func `an exponent of 0 makes all shares equal, and a greater one favours the first`() {
        let even = Zipf(count: 5, exponent: 0)
        #expect((0..<5).allSatisfy { abs(even.share(of: $0) - 0.2) < 1e-9 })
        #expect(Zipf(count: 5, exponent: 2).share(of: 0) > Zipf(count: 5, exponent: 1).share(of: 0))
        #expect(draws(Zipf(count: 1, exponent: 1), seed: 1, count: 5) == [0, 0, 0, 0, 0])
    }
}

struct SeatingTests {
    @Test func `rooms are full, no user is in one twice, and every user is in the same number of rooms`() {
        let seating = Seating(rooms: 20, of: 8, roomsPerUser: 4, seed: 1)
        #expect(seating.rooms == 20 && seating.users == 40)
        #expect(seating.members.allSatisfy { $0.count == 8 && Set($0).count == 8 })
        #expect(seating.roomsOfUsers.allSatisfy { $0.count == 4 && $0 == $0.sorted() })
    }

    @Test func `no two rooms have the same users`() {
        let seating = Seating(rooms: 20, of: 8, roomsPerUser: 4, seed: 1)
        #expect(Set(seating.members.map(Set.init)).count == 20)
    }

    @Test func `the same seed assigns every user the same rooms`() {
        let seating = Seating(rooms: 10, of: 3, roomsPerUser: 3, seed: 5)
        #expect(seating == Seating(rooms: 10, of: 3, roomsPerUser: 3, seed: 5))
        #expect(seating != Seating(rooms: 10, of: 3, roomsPerUser: 3, seed: 6))
    }

    @Test func `a number that does not divide evenly leaves some users in fewer rooms`() {
        let seating = Seating(rooms: 5, of: 2, roomsPerUser: 2, seed: 1)
        #expect(seating.rooms == 5 && seating.users == 6)
        #expect(seating.roomsOfUsers.map(\.count).reduce(0, +) == 10)
        #expect(seating.roomsOfUsers.allSatisfy { (1...2).contains($0.count) })
    }
}
