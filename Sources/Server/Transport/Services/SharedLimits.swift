import API

/// The limits that apply across all loops.
package struct SharedLimits: Sendable {
    /// The limits that loops start with. Each loop then has its own copy, which may change.
    let initial: ConnectionLimits
    let census: ConnectionCensus
    /// Unread output.
    package let unread: HeldBytes
    /// Incomplete requests and messages.
    package let unfinished: HeldBytes
    /// Command rates per user, across all connections and requests.
    let commands: CommandRates
    let guests: GuestRates
    /// Requests without credentials.
    let strangers: StrangerRates
    private let unknownFields: UnknownFieldPolicy

    /// - Parameter unknownFields: The command table's policy, set here to the value in the limits.
    package init(_ limits: ConnectionLimits, unknownFields: UnknownFieldPolicy) {
        initial = limits
        census = ConnectionCensus(limits.census)
        unread = HeldBytes(limits.unread)
        unfinished = HeldBytes(limits.unfinished)
        commands = CommandRates(limits.commandsPerUser)
        guests = GuestRates(limits.guests)
        strangers = StrangerRates(limits.strangers)
        self.unknownFields = unknownFields
        unknownFields.adopt(limits.unknownFields)
    }

    /// Changes the limits, except the sizes of `unread` and `unfinished`.
    package func adopt(_ limits: ConnectionLimits) {
        census.adopt(limits.census)
        commands.adopt(limits.commandsPerUser)
        guests.adopt(limits.guests)
        strangers.adopt(limits.strangers)
        unknownFields.adopt(limits.unknownFields)
    }
}
