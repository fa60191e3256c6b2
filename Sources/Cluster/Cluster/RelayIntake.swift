import ChatEngine
import Gateway
import Synchronization

/// What a node that decides has received from another node in its term.
final class RelayIntake: Sendable {
    /// The limits of what one node may have waiting here. It keeps the rest, and refuses its clients when that is too much.
    static let commandLimit = 10_000
    static let byteLimit = 64 << 20

    private struct State {
        var received: UInt64 = 0
        /// The beginning of a command.
        var partial: [UInt8] = []
        var commands = 0
        var bytes = 0
    }

    private let state = Mutex(State())
    private let refused: @Sendable () -> Void

    /// - Parameter refused: Called for each message of which a part did not fit.
    init(refused: @escaping @Sendable () -> Void = {}) { self.refused = refused }

    /// Takes the pieces that are next. Ignores repeated ones, and all if some are missing.
    ///
    /// - Returns: The commands that are complete, in order; call `finish` for each.
    func take(_ relay: ProtoRelay) -> [RelayedCommand] {
        state.withLock { state in
            var commands: [RelayedCommand] = []
            guard relay.first > 0, relay.first <= state.received + 1 else { return [] }
            let known = state.received + 1 - relay.first
            guard known < UInt64(relay.pieces.count) else { return [] }
            for piece in relay.pieces.dropFirst(Int(known)) {
                guard state.commands < Self.commandLimit, state.bytes < Self.byteLimit else {
                    refused()
                    break
                }
                state.received += 1
                // A longer command was refused where it came from.
                if state.partial.count <= RelayedCommand.sizeLimit { state.partial += piece.bytes }
                guard piece.ends else { continue }
                let bytes = state.partial
                state.partial = []
                // The other node answers 1041 in the end.
                guard let command = RelayedCommand(bytes) else { continue }
                state.commands += 1
                state.bytes += command.request.count
                commands.append(command)
            }
            return commands
        }
    }

    /// The number of pieces taken so far.
    var received: UInt64 { state.withLock(\.received) }

    /// Frees the place of a command whose outcome is in the log.
    func finish(_ command: RelayedCommand) {
        state.withLock { state in
            state.commands -= 1
            state.bytes -= command.request.count
        }
    }
}
