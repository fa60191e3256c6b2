import Foundation
import LoadReport
import Testing

@Suite struct ComparisonTests {
    typealias Spread = Report.Comparison.Spread

    @Test func `a spread has the median, the minimum and the maximum`() {
        #expect(Spread(of: [3, 1, 9]) == Spread(median: 3, least: 1, greatest: 9))
        #expect(Spread(of: [4, 1, 2, 9]) == Spread(median: 3, least: 1, greatest: 9))
        #expect(Spread(of: [5]) == Spread(median: 5, least: 5, greatest: 5))
        #expect(Spread(of: []) == nil)
    }

    @Test func `a book round-trips through JSON`() throws {
        let book = Samples.book([Samples.fanout, Samples.broken, Samples.compared])
        #expect(try JSONDecoder().decode(ReportBook.self, from: JSONEncoder().encode(book)) == book)
    }
}
