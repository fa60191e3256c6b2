import ArgumentParser

/// What the servers of a comparison have to do.
enum CompareCase: String, CaseIterable, Codable, ExpressibleByArgument {
    /// One publisher sends to everyone in one room.
    case fanout
    /// Everyone sends in their own small room.
    case rooms
}
