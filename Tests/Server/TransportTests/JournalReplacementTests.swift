import Foundation
import Testing

@testable import Belfry

/// A journal is exchanged for a copy, and a crash in between leaves one of them whole.
@Suite final class JournalReplacementTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/belfry-replacement-\(UUID())"
    private var place: JournalReplacement { JournalReplacement(folder: folder) }

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Writes a folder whose one file has this text.
    private func write(_ text: String, to name: String) throws {
        try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)/file"))
    }

    private func copy(_ text: String) throws {
        let disk = try place.begin()
        #expect(try disk.names().isEmpty)
        try disk.create("file").write(Array(text.utf8), at: 0)
    }

    /// The texts by folder.
    private var found: [String: String] {
        get throws {
            var found: [String: String] = [:]
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                found[name] = try String(contentsOfFile: "\(folder)/\(name)/file", encoding: .utf8)
            }
            return found
        }
    }

    @Test func `a copy becomes the journal of a new node`() throws {
        try copy("new")
        try place.complete(keepsOld: false)
        #expect(try found == ["journal": "new"])
    }

    @Test func `a copy replaces an empty journal, and a journal with frames is kept once`() throws {
        try write("empty", to: "journal")
        try copy("first")
        try place.complete(keepsOld: false)
        #expect(try found == ["journal": "first"])
        try copy("second")
        try place.complete(keepsOld: true)
        #expect(try found == ["journal": "second", "journal.replaced": "first"])
        try copy("third")
        try place.complete(keepsOld: true)
        #expect(try found == ["journal": "third", "journal.replaced": "second"])
    }

    @Test func `what an earlier attempt left is removed before a copy and when none is needed`() throws {
        try write("old", to: "journal")
        try write("half", to: "journal.copy")
        try write("whole", to: "journal.new")
        try copy("new")
        #expect(try found == ["journal": "old", "journal.copy": "new"])
        try write("whole", to: "journal.new")
        try place.cancel()
        #expect(try found == ["journal": "old"])
    }

    @Test func `the next start completes an exchange that a crash broke off`() throws {
        try write("new", to: "journal.new")
        try write("old", to: "journal.replaced")
        _ = try DataFolder(folder)
        try FileManager.default.removeItem(atPath: folder + "/belfry.lock")
        #expect(try found == ["journal": "new", "journal.replaced": "old"])
        // The journal is still there.
        try write("newer", to: "journal.new")
        try place.finish()
        #expect(try found == ["journal": "new", "journal.new": "newer", "journal.replaced": "old"])
    }

    @Test func `PR1: a replaced journal is removed with whoever was deleted since`() throws {
        try write("new", to: "journal")
        #expect(try !place.removeReplaced())
        try write("old", to: "journal.replaced")
        #expect(try place.removeReplaced())
        #expect(try found == ["journal": "new"])
    }
}
