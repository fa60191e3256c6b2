import API
import Testing
import Workloads

@Suite struct WorstCaseTests {
    @Test func `every command in the table has a measurable worst case`() throws {
        var chat = WorstChat(.small)
        var measured: Set<String> = []
        for worst in WorstCase.all {
            let result = try worst.measure(&chat)
            measured.insert(result.command)
        }
        #expect(CommandTable.declarations.map(\.method).filter { !measured.contains($0) } == [])
    }
}
