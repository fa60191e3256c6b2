import ChatModel

/// How much is going on in a room, and nothing of what.
package struct RoomFigures: Sendable, Equatable {
    package let room: Room
    /// Connections that hear it.
    package var subscribers: Int
    /// What was told in it since the first of them came, typing and the like included.
    package var publications: UInt64

    package init(room: Room, subscribers: Int, publications: UInt64) {
        self.room = room
        self.subscribers = subscribers
        self.publications = publications
    }

    /// The first rooms of several loops, each of which gives its own first ones: a room's subscribers are those of all loops,
    /// and what was told in it is what the loop that has listened longest has heard.
    ///
    /// - Parameter loops: Ascending by room, each with at least `limit` rooms or all that it has.
    package static func merged(_ loops: [[RoomFigures]], limit: Int) -> [RoomFigures] {
        var all: [Room: RoomFigures] = [:]
        for figures in loops.joined() {
            guard let known = all[figures.room] else {
                all[figures.room] = figures
                continue
            }
            all[figures.room]?.subscribers = known.subscribers + figures.subscribers
            all[figures.room]?.publications = max(known.publications, figures.publications)
        }
        return all.values.sorted { $0.room < $1.room }.prefix(max(0, limit)).map(\.self)
    }
}
