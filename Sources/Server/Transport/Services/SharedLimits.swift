import API

/// The limits that are counted over all loops.
package struct SharedLimits: Sendable {
    /// The limits loops start with; each then has its own copy, which may change.
    let initial: ConnectionLimits
    let census: ConnectionCensus
    /// Output that waits to be read.
    package let unread: HeldBytes
    /// Requests and messages that are not complete.
    package let unfinished: HeldBytes
    /// Of users, over all their connections and requests.
    let commands: CommandRates
    let guests: GuestRates
    /// Requests without credentials.
    let strangers: StrangerRates
    private let unknownFields: UnknownFieldPolicy

    /// - Parameter unknownFields: The policy of the command table, which is set to the one of the limits.
    package init(_ limits: ConnectionLimits, unknownFields: UnknownFieldPolicy) {
        initial = limits
        census = ConnectionCensus(limits.census)
        unread = HeldBytes(limits.unread)
        unfinished = HeldBytes(limits.unfinished)
        commands = CommandRates(limits.commandsOfUser)
        guests = GuestRates(limits.guests)
        strangers = StrangerRates(limits.strangers)
        self.unknownFields = unknownFields
        unknownFields.adopt(limits.unknownFields)
    }

    /// Changes the limits; the sizes of `unread` and `unfinished` stay.
    package func adopt(_ limits: ConnectionLimits) {
        census.adopt(limits.census)
        commands.adopt(limits.commandsOfUser)
        guests.adopt(limits.guests)
        strangers.adopt(limits.strangers)
        unknownFields.adopt(limits.unknownFields)
    }
}
