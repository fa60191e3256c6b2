import ChatDomain
import ChatModel
import Foundation
import Testing

@testable import Belfry

/// The file of deleted users (`PR1`).
@Suite final class ErasureLedgerTests {
    private let folder = "/tmp/belfry-ledger-\(UInt64.random(in: .min ... .max))"
    private let first = ErasedUser(key: .max, alias: .deleted(1), before: 1_780_000_000, deletesMessages: true)
    private let second = ErasedUser(key: 0x0A, alias: .deleted(2), before: 5, deletesMessages: false)

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func write(_ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: folder + "/erasures"))
    }

    private var text: String? { try? String(contentsOfFile: folder + "/erasures", encoding: .utf8) }

    @Test func `PR1: the ledger names a user only until nothing on the disk does`() throws {
        let zoe = try #require(UserID("zoë\u{1F98A}"))
        var ledger = try ErasureLedger(folder)
        #expect(ledger.sorted.isEmpty && text == nil)
        let isNew = [ledger.add(first, of: zoe), ledger.add(second, of: nil)]
        #expect(isNew == [true, true])
        try ledger.write()
        #expect(text?.split(separator: "\n").count == 4)
        ledger = try ErasureLedger(folder)
        #expect(ledger.sorted.map(\.erased) == [first, second] && ledger.sorted.map(\.user) == [zoe, nil])
        #expect(ledger.sorted.allSatisfy { !$0.isGone })
        ledger.recordGone([first.alias])
        try ledger.write()
        ledger = try ErasureLedger(folder)
        #expect(ledger.sorted.map(\.isGone) == [true, false] && ledger.sorted.map(\.user) == [nil, nil])
        #expect(text?.contains("7a6f") == false, "the beginning of the id in hexadecimal")
    }

    @Test func `PR1: a deletion that is repeated begins anew, and a known one changes nothing`() throws {
        let zoe = try #require(UserID("zoe"))
        var ledger = try ErasureLedger(folder)
        var isNew = [ledger.add(first, of: zoe), ledger.add(first, of: zoe), ledger.add(first, of: nil)]
        #expect(isNew == [true, false, false])
        ledger.recordGone([first.alias])
        isNew = [ledger.add(first, of: nil)]
        #expect(isNew == [false] && ledger.sorted.map(\.isGone) == [true])
        isNew = [ledger.add(first, of: zoe)]
        #expect(isNew == [true] && ledger.sorted.map(\.isGone) == [false])
    }

    @Test(arguments: [
        "", "belfry erasures 2\nend\n", "belfry erasures 1\n", "belfry erasures 1\ndeleted:1 a 1 kept\nend\n",
        "belfry erasures 1\ndeleted:1 z 1 kept gone\nend\n", "belfry erasures 1\ndeleted:1 a 1 lost gone\nend\n",
        "belfry erasures 1\ndeleted:1 a 1 kept 7\nend\n", "belfry erasures 1\ndeleted:1 a 1 kept 7x\nend\n",
        "belfry erasures 1\ndeleted:1 a 1 kept ff\nend\n", "belfry erasures 1\n \nend\n",
    ])
    func `PR1: a damaged ledger is refused, because guessing could bring a user back`(damaged: String) throws {
        try write(damaged)
        let error = #expect(throws: ConfigurationError.self) { try ErasureLedger(folder) }
        #expect(error?.description.contains("is damaged") == true)
    }
}
