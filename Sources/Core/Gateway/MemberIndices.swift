import ChatModel

/// A listener's rooms, and for each the listener's index among the members that use the same form.
///
/// A list while the rooms are few: a dictionary takes twice the memory, and most connections do nothing but exist.
struct MemberIndices {
    private static let listLimit = 16

    private var list: [(room: Room, index: Int)] = []
    /// Replaces the list once there are more rooms.
    private var table: [Room: Int]?

    var count: Int { table?.count ?? list.count }
    var rooms: [Room] { table.map { Array($0.keys) } ?? list.map(\.room) }

    /// Makes room for further entries, because an array that grows by itself takes more than it needs.
    mutating func reserve(_ more: Int) {
        if table == nil, list.count + more <= Self.listLimit { list.reserveCapacity(list.count + more) }
    }

    subscript(room: Room) -> Int? {
        get { table.map { $0[room] } ?? list.first { $0.room == room }?.index }
        set {
            guard table == nil else {
                table?[room] = newValue
                return
            }
            switch (list.firstIndex { $0.room == room }, newValue) {
            case (let place?, let index?): list[place].index = index
            case (let place?, nil): list.remove(at: place)
            case (nil, let index?): append(room, index)
            case (nil, nil): break
            }
        }
    }

    private mutating func append(_ room: Room, _ index: Int) {
        list.append((room, index))
        guard list.count > Self.listLimit else { return }
        table = Dictionary(uniqueKeysWithValues: list.map { ($0.room, $0.index) })
        list = []
    }
}
