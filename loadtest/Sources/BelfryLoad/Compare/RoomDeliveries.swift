/// Checks that each message reaches each member of its room exactly once, and nobody else.
struct RoomDeliveries {
    private let roomSize: Int
    /// By message: its room.
    private var rooms: [Int] = []
    /// By message: a bit for each member of the room that received it.
    private var recipients: [UInt64] = []
    private(set) var delivered = 0
    private var duplicates = 0
    private var misdirected = 0

    /// - Parameter roomSize: At most 64.
    init(roomSize: Int, messages: Int) {
        precondition((1...CompareRoomsPlan.memberLimit).contains(roomSize))
        self.roomSize = roomSize
        rooms.reserveCapacity(messages)
        recipients.reserveCapacity(messages)
    }

    var sent: Int { rooms.count }
    var isComplete: Bool { delivered >= sent * roomSize }

    /// Messages are sent in the order of their numbers, which count from 0.
    mutating func recordSent(to room: Int) {
        rooms.append(room)
        recipients.append(0)
    }

    /// - Parameter member: Numbered room by room, from 0.
    mutating func record(_ sequence: Int, at member: Int) {
        guard rooms.indices.contains(sequence), rooms[sequence] == member / roomSize else {
            misdirected += 1
            return
        }
        let bit: UInt64 = 1 << UInt64(member % roomSize)
        guard recipients[sequence] & bit == 0 else {
            duplicates += 1
            return
        }
        recipients[sequence] |= bit
        delivered += 1
    }

    /// Descriptions of what went wrong; empty when every delivery happened once.
    var problems: [String] {
        var problems: [String] = []
        if let first = recipients.firstIndex(where: { $0.nonzeroBitCount < roomSize }) {
            problems.append(
                "\(sent * roomSize - delivered) of \(sent * roomSize) deliveries are missing, first message \(first)"
            )
        }
        if duplicates > 0 { problems.append("\(duplicates) duplicate deliveries") }
        if misdirected > 0 { problems.append("\(misdirected) deliveries to the wrong room") }
        return problems
    }
}
