import Testing

@testable import LoadReport

@Suite struct ScaleTests {
    @Test func `every additional nine takes the same space`() {
        let scale = Scale.percentiles(upTo: 99.99)
        let places = [90, 99, 99.9, 99.99].map(scale.place)
        for (place, expected) in zip(places, [0.25, 0.5, 0.75, 1]) { #expect(abs(place - expected) < 1e-9) }
        #expect(scale.place(0) == 0)
        #expect(scale.place(100) == 1)
        #expect(scale.ticks.map(\.label) == ["50 %", "90 %", "99 %", "99.9 %", "99.99 %"])
    }

    @Test func `bars start at zero and end at a round number`() {
        let scale = Scale.values([93, 17, 40])
        #expect(scale.kind == .linear)
        #expect(scale.place(0) == 0)
        #expect(scale.place(50) == 0.5)
        #expect(scale.ticks.map(\.label) == ["0", "20", "40", "60", "80", "100"])
    }

    @Test func `values of many magnitudes use a logarithmic scale`() {
        let scale = Scale.values([0.2, 31])
        #expect(scale.kind == .logarithmic)
        #expect(scale.ticks.map(\.label) == ["0.1", "1", "10", "100"])
        #expect(abs(scale.place(1) - 1.0 / 3) < 1e-9)
        #expect(scale.place(0) == 0)
        #expect(Scale.values([0, 0.2, 31]).kind == .linear)
    }

    @Test func `an axis for counts has no fractions`() {
        #expect(Scale.range([1, 2, 3]).ticks.map(\.label) == ["1", "2", "3"])
        #expect(Scale.range([0, 0.5, 1]).ticks.map(\.label) == ["0", "0.2", "0.4", "0.6", "0.8", "1"])
    }

    @Test(
        arguments: [[], [0], [7], [-4, 3], [1e14, 1e-14], [1e-300], [3, 3, 3], [-1e14, -1]] as [[Double]])
    func `every scale has ticks, all of them within it and increasing`(values: [Double]) {
        for scale in [Scale.values(values), Scale.range(values)] {
            #expect((1...30).contains(scale.ticks.count))
            for tick in scale.ticks { #expect((0...1).contains(tick.place)) }
            for (one, next) in zip(scale.ticks, scale.ticks.dropFirst()) { #expect(one.place < next.place) }
            for value in values { #expect((0...1).contains(scale.place(value))) }
        }
    }
}
