import Simulation

struct NothingToChange: Error {}

extension [History.Moment] {
    func lastPlace(where isRight: (Element) -> Bool) throws -> Int {
        guard let place = lastIndex(where: isRight) else { throw NothingToChange() }
        return place
    }

    /// Returns the last moment of a client that stays until the next quiet moment, by which missing events are
    /// detected.
    ///
    /// - Parameter client: The client of a moment; nil for others.
    func lastPlaceBeforeQuiet(of client: (Element) -> Int?) throws -> Int {
        var staying: Set<Int> = []
        for place in indices.reversed() {
            switch self[place] {
            case .quiet: staying = Set(0..<5)
            case .disconnected(let client): staying.remove(client)
            default: if let client = client(self[place]), staying.contains(client) { return place }
            }
        }
        throw NothingToChange()
    }

    /// Changes the last moment that can be changed this way.
    mutating func changeLast(_ change: (inout Element) -> Bool) throws {
        for index in indices.reversed() where change(&self[index]) { return }
        throw NothingToChange()
    }
}
