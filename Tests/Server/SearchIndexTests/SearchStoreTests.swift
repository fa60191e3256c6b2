import ChatModel
import Foundation
import SearchText
import TestSupport
import Testing

@testable import ChatDomain
@testable import SearchIndex

@Suite struct SearchStoreTests {
    private func store(_ changes: SearchChange...) throws -> SearchStore {
        let store = try SearchStore(nil)
        try store.apply(changes, progress: nil)
        return store
    }

    private func offsets(_ store: SearchStore, _ lookup: SearchLookup) throws -> [UInt64] {
        try store.find(lookup, isCurrent: true).parts.flatMap(\.offsets)
    }

    @Test(
        arguments: [
            ("STRASSE", [1]), ("wetter", [2]), ("東京", [2]), ("京都", [2]), ("天", [3]), ("天気", [3]), ("ring*", [5, 4]),
            ("\"the bell\"", [5, 4]), ("\"bell the\"", []), ("bell ring", [4]), ("🎉", [6]), ("e*", [1]),
            ("nothing", []),
            ("international*", [7]),
        ] as [(String, [UInt64])])
    func `SE1: words, prefixes, phrases and parts of unspaced texts are found, the newest first`(
        query: String, expected: [UInt64]
    ) throws {
        let store = try store(
            put(1, "Eine Straße"), put(2, "Wetter in 東京都"), put(3, "今日の天気予報"), put(4, "ring the bell"),
            put(5, "The bell rings"), put(6, "done 🎉"), put(7, "Internationalization"))
        #expect(try offsets(store, lookup(query)) == expected)
    }

    @Test func `SE1: an edit and a deletion remove the old words`() throws {
        let store = try store(put(1, "old words"), put(2, "old words"), put(3, "old words"))
        try store.apply([put(2, "new"), .remove(general, offset: 3)], progress: nil)
        #expect(try offsets(store, lookup("old")) == [1])
        #expect(try offsets(store, lookup("new")) == [2])
        try store.apply([.remove(general, offset: 1), .remove(general, offset: 77)], progress: nil)
        #expect(try offsets(store, lookup("old")).isEmpty)
    }

    @Test func `PR1: a scrubbed file has nothing of removed lines`() throws {
        let path = "/tmp/belfry-scrub-\(UInt64.random(in: .min ... .max)).sqlite"
        defer { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
        let store = try SearchStore(path)
        try store.apply((1...300).map { put($0, "zebra\($0) crossing") }, progress: nil)
        try store.apply((301...400).map { put($0, "kept\($0) crossing") }, progress: nil)
        try store.apply((1...300).map { SearchChange.remove(general, offset: $0) }, progress: nil)
        func text() -> String {
            ["", "-wal"].map { suffix in
                String(decoding: FileManager.default.contents(atPath: path + suffix) ?? Data(), as: UTF8.self)
            }.joined()
        }
        #expect(text().contains("zebra"))
        var step: SearchStore.ScrubStep? = .beginMerging
        var steps = 0
        while let next = step {
            step = try store.scrub(next)
            steps += 1
        }
        #expect(!text().contains("zebra") && steps > 2)
        #expect(try offsets(store, lookup("kept350")) == [350])
        #expect(try offsets(store, lookup("crossing")).count == 100)
    }

    @Test func `SE1: only the ranges of the lookup are read`() throws {
        let store = try store(
            put(1, "x"), put(5, "x"), put(9, "x"), put(5, "x", in: other),
            put(5, "x", in: SearchRoom(id: "general", epoch: "later")))
        #expect(try offsets(store, lookup("x", 2..<9)) == [5])
        #expect(try offsets(store, lookup("x", in: [other, general])) == [5, 9, 5, 1])
        #expect(try offsets(store, lookup("x", in: [SearchRoom(id: "none", epoch: "1")])).isEmpty)
    }

    @Test func `SE1: a deleted channel is not found, and its words are removed step by step`() throws {
        let store = try store(put(1, "x"), put(2, "x"), put(3, "x"), put(1, "x", in: other))
        try store.apply([put(4, "x"), .removeRoom(general)], progress: nil)
        #expect(try offsets(store, lookup("x", in: [general, other])) == [1])
        var steps = 0
        while try store.removeGone(limit: 2) { steps += 1 }
        #expect(steps == 2)
        // Neither the number nor the rows of the old channel come back.
        try store.apply([put(9, "x", in: general)], progress: nil)
        #expect(try offsets(store, lookup("x")) == [9])
    }

    @Test func `SE1 PR3: a channel that comes with messages is read from the chat`() throws {
        let store = try store(put(1, "x", in: other))
        try store.apply([.readRoom(general), put(7, "x")], progress: nil)
        #expect(try store.nextStaleRoom().map { [$0.offset] } == [0])
        #expect(try offsets(store, lookup("x")).isEmpty, "read later, with all others")
        let entry = SearchEntry(text: "x", sender: nil, kind: .text, hasFiles: false)
        try store.fill(general, from: 0, with: SearchFill(entries: [(3, entry), (7, entry)], next: nil))
        #expect(try offsets(store, lookup("x")) == [7, 3])
        #expect(try store.nextStaleRoom() == nil)
    }

    @Test func `SE1: facts narrow a lookup`() throws {
        let store = try store(
            put(1, "x"), put(2, "x", kind: .file, hasFiles: true), put(3, "x", by: "bob", kind: .files, hasFiles: true),
            put(4, "x", by: nil, kind: .admin))
        func found(_ facts: [String]...) throws -> [UInt64] { try offsets(store, lookup("x", facts: facts)) }
        #expect(try found([SearchEntry.fact(.file), SearchEntry.fact(.files)]) == [3, 2])
        #expect(try found([SearchEntry.fact("ann"), SearchEntry.fact("cat")], [SearchEntry.withFiles]) == [2])
        #expect(try found([SearchEntry.fact("ann")]) == [2, 1])
        #expect(try offsets(store, lookup("ktext")).isEmpty, "facts are not words")
    }

    @Test func `SE1: a lookup ends at its limit and says how far it went`() throws {
        let store = try store(put(1, "x"), put(2, "x"), put(700_000, "x"), put(3_000_000, "x"))
        let first = try store.find(lookup("x", 1..<4_000_000, limit: 1), isCurrent: true).parts[0]
        #expect(first.offsets == [3_000_000] && first.reached == 3_000_000)
        let second = try store.find(lookup("x", 1..<first.reached), isCurrent: true).parts[0]
        #expect(second.offsets.isEmpty && second.reached > 700_000 && second.reached < 3_000_000)
        var (end, found) = (second.reached, [UInt64]())
        while end > 1 {
            let part = try store.find(lookup("x", 1..<end), isCurrent: true).parts[0]
            found += part.offsets
            end = part.reached
        }
        #expect(found == [700_000, 2, 1])
    }

    @Test(arguments: [
        "\"", "\"\"\"", "AND", "a AND", "a OR b", "NOT a", "NEAR(a b)", "NEAR", "a*", "*", "^a", "a:b", "-a",
        "{words}:a", "words : a", "a\u{0}b", "\u{0}", "(((", "a) OR (b", "'; DROP TABLE lines; --", "a\u{301}\u{302}",
        "👩‍💻", "1️⃣", "%_", "\u{FFFD}", "\u{10FFFF}", "a\" OR \"b", "facts:f",
    ])
    func `SE1: no query reaches the index's query language`(query: String) throws {
        let store = try store(put(1, "a b or not near words"), put(2, query))
        guard !SearchPattern(query).terms.isEmpty else { return }
        #expect(try offsets(store, lookup(query)).contains(2))
    }

    @Test func `SE1: ten thousand words are one lookup`() throws {
        let text = (0..<10_000).map { "w\($0)" }.joined(separator: " ")
        let store = try store(put(1, text), put(2, "w1"))
        #expect(try offsets(store, lookup("w1 w9999")) == [1])
        #expect(try offsets(store, lookup((0..<100).map { "w\($0)" }.joined(separator: " "))) == [1])
    }

    @Test func `SE1: a query that everything matches reads as much as its limit`() throws {
        let store = try SearchStore(nil)
        try store.apply((1...5_000).map { put(UInt64($0), "a \($0)") }, progress: nil)
        let part = try store.find(lookup("a*", limit: 31), isCurrent: true).parts[0]
        #expect(part.offsets == (4_970...5_000).reversed().map(UInt64.init) && part.reached == 4_970)
    }

    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func `SE1: whatever a text contains by comparison, the index names`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let words = [
            "bell", "Bell", "bells", "b", "hall", "町", "東京都", "東京", "é", "e\u{301}", "ß", "ss", "が", "か", "ไทย", "🎉",
        ]
        func text(_ count: Int) -> String {
            (0..<Int.random(in: 1...count, using: &random)).map { _ in random.pick(words) }
                .joined(separator: random.pick([" ", "", "-"]))
        }
        let texts = (0..<60).map { _ in text(6) }
        let store = try SearchStore(nil)
        try store.apply(texts.enumerated().map { put(UInt64($0.offset + 1), $0.element) }, progress: nil)
        for _ in 0..<40 {
            var query = text(3)
            if random.chance(percent: 30) { query += "*" }
            if random.chance(percent: 30) { query = "\"\(query)\"" }
            let matcher = SearchMatcher(SearchPattern(query))
            let expected = texts.indices.filter { matcher.match(in: texts[$0]) != nil }.map { UInt64($0 + 1) }
            let found = try offsets(store, lookup(query))
            #expect(Set(found).isSuperset(of: expected), "seed \(seed): \(query)")
            #expect(found == found.sorted(by: >), "seed \(seed): \(query)")
        }
    }
}
