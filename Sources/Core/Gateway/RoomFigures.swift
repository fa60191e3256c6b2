import ChatModel

/// Activity figures for a room.
package struct RoomFigures: Sendable, Equatable {
    package let room: Room
    /// The number of subscribed connections.
    package var subscribers: Int
    /// The number of events published since the first subscriber entered, including transient ones.
    package var publications: UInt64

    package init(room: Room, subscribers: Int, publications: UInt64) {
        self.room = room
        self.subscribers = subscribers
        self.publications = publications
    }

    /// Merges the figures of several loops. A room's subscribers are summed; its publication count is the highest, from
    /// the loop that has listened longest.
    ///
    /// - Parameter loops: The figures of each loop, ascending by room; at least `limit` rooms, or all rooms of the
    ///   loop.
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
