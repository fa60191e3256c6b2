import ChatDomain
import ChatEngine
import Glibc
import TestSupport
import Testing

@testable import SearchIndex

@Suite struct SearchIndexerTests {
    @Test func `SE1: a search finds everything that was appended before it`() {
        let scene = Scene()
        scene.start()
        scene.append(put(1, "hello"))
        #expect(scene.offsets("hello") == [1])
        scene.append(put(2, "hello"), put(1, "bye"))
        let found = scene.find(lookup("hello"))
        #expect(found.parts[0].offsets == [2] && found.parts[0].isKnown)
    }

    @Test func `SE1: a search does not wait for a backlog, and says that something is missing`() {
        var limits = SearchIndexer.Limits()
        limits.batch = 10
        let scene = Scene(limits: limits)
        scene.start()
        scene.append((1...25).map { put(UInt64($0), "x") })
        let found = scene.find(lookup("x"))
        // The index's own run came first, then the search's part.
        #expect(found.parts[0].offsets.count == 20 && !found.parts[0].isKnown)
        scene.queue.wait()
        let later = scene.find(lookup("x"))
        #expect(later.parts[0].offsets.count == 25 && later.parts[0].isKnown)
    }

    @Test func `SE1: an index that starts empty reads the chat, and finds more and more`() {
        let library = Library(step: 2)
        library.apply((1...7).map { put(UInt64($0), "x") } + [put(1, "x", in: other)])
        let scene = Scene(library: library)
        scene.start()
        scene.queue.wait()
        #expect(scene.offsets("x") == (1...7).reversed())
        #expect(scene.offsets("x", in: other) == [1])
        #expect(scene.rebuilds == 1 && scene.find(lookup("x")).parts[0].isKnown)
    }

    @Test func `SE1: a restart continues where the index was, and does not read the chat again`() throws {
        try withFolder { path in
            let library = Library()
            let scene = Scene(path, library: library)
            scene.start()
            scene.append(put(1, "x"))
            scene.close()
            let again = Scene(path, library: library)
            again.start()
            #expect(again.offsets("x") == [1])
            #expect(again.rebuilds == 0 && library.fills.withLock(\.self) == 0)
        }
    }

    @Test func `SE1: an index that has less or more than the log is filled anew`() throws {
        try withFolder { path in
            let library = Library()
            let scene = Scene(path, library: library)
            scene.start()
            scene.append(put(1, "x"))
            scene.close()
            library.apply([put(2, "x")])
            for frame in [9, 0] as [UInt64] {
                library.progress.withLock { $0 = SearchProgress(frame: frame, at: 5) }
                let again = Scene(path, library: library)
                again.start()
                again.queue.wait()
                #expect(again.rebuilds == 1 && again.offsets("x") == [2, 1])
                again.close()
            }
        }
    }

    @Test(arguments: ["no database", "", "SQLite format 3\u{0}" + String(repeating: "x", count: 4_096)])
    func `SE1: a damaged or empty file is made anew`(content: String) throws {
        try withFolder { path in
            let file = try #require(fopen(path, "w"))
            fwrite(content, 1, content.utf8.count, file)
            fclose(file)
            let library = Library()
            library.apply([put(1, "x")])
            let scene = Scene(path, library: library)
            scene.start()
            scene.queue.wait()
            #expect(scene.offsets("x") == [1] && scene.rebuilds == 1)
            scene.close()
        }
    }

    @Test func `SE1: a file of another version is made anew`() throws {
        try withFolder { path in
            let library = Library()
            let scene = Scene(path, library: library)
            scene.start()
            scene.append(put(1, "x"))
            scene.close()
            try Database(path).execute("PRAGMA user_version = 999")
            let again = Scene(path, library: library)
            again.start()
            again.queue.wait()
            #expect(again.rebuilds == 1 && again.offsets("x") == [1])
            again.close()
        }
    }

    @Test func `SE1: an index that fails in operation is made anew, and says so meanwhile`() throws {
        try withFolder { path in
            let scene = Scene(path)
            scene.start()
            scene.append(put(1, "x"))
            #expect(scene.offsets("x") == [1])
            try Database(path).execute("DROP TABLE lines_data")
            #expect(scene.find(lookup("x")).parts[0].isKnown == false)
            #expect(scene.failures == 1)
            scene.append(put(2, "x"))
            scene.queue.wait()
            scene.queue.wait()
            #expect(scene.offsets("x") == [2, 1] && scene.rebuilds == 2)
            scene.close()
        }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `SE1: with a queue that overflows, the index ends with what the chat has`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var limits = SearchIndexer.Limits()
        limits.changesWaiting = Int.random(in: 0...6, using: &random)
        limits.batch = Int.random(in: 1...4, using: &random)
        let scene = Scene(limits: limits, library: Library(step: Int.random(in: 1...3, using: &random)))
        if random.chance(percent: 50) { scene.library.apply((1...5).map { put(UInt64($0), "x old") }) }
        scene.start()
        var rooms = [general, other]
        var live: [SearchRoom: Set<UInt64>] = [general: Set(scene.library.offsets(of: general)), other: []]
        for step in 0..<60 {
            let index = Int.random(in: 0...1, using: &random)
            let room = rooms[index]
            let offset = UInt64.random(in: 1...12, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6:
                scene.append(put(offset, "x \(random.next() % 100)", in: room))
                live[room, default: []].insert(offset)
            case 6, 7:
                scene.append(.remove(room, offset: offset))
                live[room]?.remove(offset)
            case 8:
                scene.append(.removeRoom(room))
                live[room] = nil
                // A later channel with the same id has another epoch.
                rooms[index] = SearchRoom(id: room.id, epoch: "step \(step)")
            default: if random.chance(percent: 50) { scene.queue.run() } else { scene.queue.wait() }
            }
        }
        for _ in 0..<20 { scene.queue.wait() }
        for room in rooms {
            #expect(scene.offsets("x", in: room) == (live[room] ?? []).sorted(by: >), "seed \(seed)")
            #expect(scene.find(lookup("x", in: [room])).parts[0].isKnown, "seed \(seed)")
        }
    }
}
