import ChatModel
import Gateway
import Testing

@Suite struct RoomFiguresTests {
    private func figures(_ room: Room, _ subscribers: Int, _ publications: UInt64) -> RoomFigures {
        RoomFigures(room: room, subscribers: subscribers, publications: publications)
    }

    @Test func `a room on several loops is listed once, with the subscribers of all of them`() {
        let merged = RoomFigures.merged(
            [[figures("a", 2, 7), figures("c", 1, 1)], [figures("a", 3, 9), figures("b", 1, 0)]], limit: 3)
        #expect(merged == [figures("a", 5, 9), figures("b", 1, 0), figures("c", 1, 1)])
        #expect(RoomFigures.merged([[figures("a", 1, 1)], [figures("b", 1, 1)]], limit: 1) == [figures("a", 1, 1)])
        #expect(RoomFigures.merged([], limit: 1).isEmpty)
    }

    @Test func `rooms are sorted with channels first, and paging misses none`() {
        #expect(["b", "#a", "B", "#B"].map { $0 as Room }.sorted() == ["B", "b", "#B", "#a"])
        let names: [Room] = ["a", "b", "c", "d", "e", "#ann", "#bob"]
        let loops = [names.filter { $0 != "b" }, names.filter { $0 != "c" && $0 != "#ann" }]
        var (after, seen): (Room?, [Room]) = (nil, [])
        while true {
            let pages = loops.map { rooms in
                rooms.filter { room in after.map { $0 < room } ?? true }.prefix(2).map { figures($0, 1, 1) }
            }
            let page = RoomFigures.merged(pages, limit: 2)
            guard let last = page.last else { break }
            seen += page.map(\.room)
            after = last.room
        }
        #expect(seen == names)
    }
}
