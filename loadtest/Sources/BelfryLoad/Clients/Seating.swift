/// Distributes users over rooms: each user is in several rooms with different users.
struct Seating: Sendable, Equatable {
    /// The users of each room, by number; nobody is in a room twice.
    let members: [[Int]]
    let users: Int

    /// - Parameters:
    ///   - rooms: The number of rooms; at least 1.
    ///   - size: The number of members per room; at least 1.
    ///   - roomsPerUser: The maximum number of rooms per user; at least 1.
    init(rooms: Int, of size: Int, roomsPerUser: Int, seed: UInt64) {
        // Everyone gets one room per round, so that nobody is in a room twice.
        let roomsOfRound = (rooms + roomsPerUser - 1) / roomsPerUser
        users = roomsOfRound * size
        var random = SeededGenerator(seed: seed)
        var (members, order) = ([[Int]](), Array(0..<users))
        while members.count < rooms {
            order.shuffle(using: &random)
            for first in stride(from: 0, to: users, by: size) where members.count < rooms {
                members.append(Array(order[first..<first + size]))
            }
        }
        self.members = members
    }

    var rooms: Int { members.count }
    /// The rooms of each user, ascending.
    var roomsOfUsers: [[Int]] {
        var rooms = [[Int]](repeating: [], count: users)
        for (room, members) in members.enumerated() {
            for user in members { rooms[user].append(room) }
        }
        return rooms
    }
}
