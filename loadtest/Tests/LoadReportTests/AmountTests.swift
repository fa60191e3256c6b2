import Testing

@testable import LoadReport

@Suite struct AmountTests {
    @Test(
        arguments: [
            (0, "0"), (1, "1"), (-3, "−3"), (0.0123, "0.0123"), (0.5, "0.500"), (0.9994, "0.999"), (0.9996, "1.00"),
            (4.612, "4.61"), (9.994, "9.99"), (9.996, "10.0"), (12.34, "12.3"), (99.96, "100"), (245.3, "245"),
            (999.7, "1,000"), (1_500, "1,500"), (1_234_567.8, "1,234,568"), (-12.34, "−12.3"), (-0.0000001, "0.000000"),
            (1e16, "1e+16"), (.nan, "–"), (.infinity, "–"), (-.infinity, "–"),
        ] as [(Double, String)])
    func `a number is shown with its significant digits`(value: Double, text: String) {
        #expect(Amount.text(value) == text)
    }

    @Test(
        arguments: [(0.6, "0.6"), (1, "1"), (25, "25"), (2.50, "2.5"), (1_500_000, "1,500,000")] as [(Double, String)])
    func `the number on an axis tick has no trailing zeros`(value: Double, text: String) {
        #expect(Amount.tick(value) == text)
    }

    @Test(arguments: [("ms", "4.61\u{A0}ms"), ("", "4.61"), ("/s", "4.61/s"), ("%", "4.61%"), ("×", "4.61\u{A0}×")])
    func `a unit follows its number without a line break`(unit: String, text: String) {
        #expect(Amount.text(4.61, unit) == text)
    }

    @Test(arguments: [(50, "p50"), (99.9, "p99.9"), (100, "max")] as [(Double, String)])
    func `a percentile is written with its name`(percentile: Double, text: String) {
        #expect(Amount.percentile(percentile) == text)
    }

    @Test func `a count is written in the singular or plural`() {
        #expect(Amount.count(1, "check") == "1 check")
        #expect(Amount.count(2_000, "check") == "2,000 checks")
        #expect(Amount.count(2, "scenario was", "scenarios were") == "2 scenarios were")
    }
}
