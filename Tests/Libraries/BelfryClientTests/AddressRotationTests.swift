import Testing

@testable import BelfryClient

struct AddressRotationTests {
    @Test func `a round is over when every address has failed once`() {
        var rotation = AddressRotation(count: 3)
        var visited: [Int] = []
        var ends: [Bool] = []
        for _ in 0..<7 {
            visited.append(rotation.current)
            ends.append(rotation.advance())
        }
        #expect(visited == [0, 1, 2, 0, 1, 2, 0])
        #expect(ends == [false, false, true, false, false, true, false])
    }

    @Test func `after a success, every address gets an attempt before the round is over`() {
        var rotation = AddressRotation(count: 3)
        _ = rotation.advance()
        rotation.beginRound()
        #expect(rotation.current == 1)
        #expect((0..<3).map { _ in rotation.advance() } == [false, false, true])
        #expect(rotation.current == 1)
    }

    @Test func `with one address every failure ends a round`() {
        var rotation = AddressRotation(count: 1)
        #expect(rotation.advance() && rotation.current == 0)
    }
}
