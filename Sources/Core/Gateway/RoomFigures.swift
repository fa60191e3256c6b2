import ChatModel

/// Activity in a room, without its content.
package struct RoomFigures: Sendable, Equatable {
    package let room: Room
    /// Connections subscribed to it.
    package var subscribers: Int
    /// Events published since the first subscriber came, transient ones such as typing included.
    package var publications: UInt64

    package init(room: Room, subscribers: Int, publications: UInt64) {
        self.room = room
        self.subscribers = subscribers
        self.publications = publications
    }

    /// Merges the first rooms of several loops. A room's subscribers are summed; its publications are those of the loop
    /// that has listened longest.
    ///
    /// - Parameter loops: Ascending by room, each with at least `limit` rooms or all it has.
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
