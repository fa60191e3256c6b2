/// The role of a connection at a server.
public enum Seat: Sendable, Equatable {
    /// Listens in the one room.
    case subscriber
    /// Creates the one room and sends to it; does not listen.
    case publisher
    /// Listens and sends in one of many rooms, numbered from 0. The first member of a room creates it.
    case member(room: Int, isFirst: Bool)

    var listens: Bool { self != .publisher }
}
