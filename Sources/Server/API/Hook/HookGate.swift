import ChatDomain
import ChatEngine
import ChatModel
import CoreMetrics
import Gateway
import MetricTable
import Metrics
import Synchronization

/// The commands of one user in one channel, whose order stays while the app's hook decides about one of them.
struct HookLane: Hashable {
    let user: UserID
    let channel: ChannelID
}

/// A command that waits in its lane.
struct HeldCommand: Sendable {
    let declaration: CommandTable.Declaration
    let data: [UInt8]
    let caller: Caller
    /// Whether a server key sent it.
    let isServer: Bool
    let address: ReturnAddress
}

/// Asks the app's hook about texts of users, and holds back the sender's later commands in the same channel until it has
/// answered (`MO4`). Commands of others never wait.
///
/// A command leaves its lane when it has entered the engine's queue, which keeps the order of a user's commands.
package final class HookGate: Sendable {
    package struct Limits: Sendable, Equatable {
        /// The channels in which the hook decides about texts of one user at the same time.
        package var lanesPerUser = 8
        /// The waiting commands of one user in all channels, and their size in bytes.
        package var commandsPerUser = 64
        package var bytesPerUser = 262_144
        package init() {}
    }

    /// What one user takes of the limits.
    private struct Share {
        var lanes = 0
        var commands = 0
        var bytes = 0
    }

    private struct State {
        /// The lanes in which the hook decides, with the commands that wait.
        var lanes: [HookLane: [HeldCommand]] = [:]
        var shares: [UserID: Share] = [:]
        var waiting = 0
    }

    /// Nil if nobody asks the hook, as if it never answered.
    let port: (any HookPort)?
    private let limits: Limits
    private let state = Mutex(State())
    private let lanes = Atomic(0)
    private let waiting: Gauge?

    package init(_ port: (any HookPort)?, limits: Limits = Limits(), metrics: (any MetricsFactory)? = nil) {
        self.port = port
        self.limits = limits
        waiting = metrics.map { Gauge(.hookHeldCommands, $0) }
    }

    /// Whether commands may have to wait, although no hook is set any more.
    var isHolding: Bool { lanes.load(ordering: .relaxed) > 0 }

    /// Carries a command out, or keeps it until those before it in its lane are carried out.
    ///
    /// - Throws: What the command throws, and 111 if the user has too many commands under way.
    func enter(_ command: HeldCommand, _ lane: HookLane, _ table: CommandTable) throws(Rejection) {
        let mustAsk = command.declaration.ask != nil && table.engine.hook.isSet
        switch begin(command, in: lane, mustAsk: mustAsk) {
        case .refused:
            throw Rejection(
                .tooManyRequests, "commands that wait for the hook", retryAfterMilliseconds: Self.retryMilliseconds)
        case .held: return
        case .free where mustAsk:
            do throws(Rejection) { try ask(command, lane, table) } catch {
                advance(lane, table)
                throw error
            }
        case .free: try command.execute(table)
        }
    }

    private enum Entry {
        case free
        case held
        case refused
    }

    private func begin(_ command: HeldCommand, in lane: HookLane, mustAsk: Bool) -> Entry {
        state.withLock { state in
            var share = state.shares[lane.user] ?? Share()
            if state.lanes[lane] == nil {
                guard mustAsk else { return .free }
                guard share.lanes < limits.lanesPerUser else { return .refused }
                share.lanes += 1
                state.lanes[lane] = []
                lanes.store(state.lanes.count, ordering: .relaxed)
                state.shares[lane.user] = share
                return .free
            }
            guard share.commands < limits.commandsPerUser,
                share.bytes + command.data.count <= limits.bytesPerUser
            else { return .refused }
            share.commands += 1
            share.bytes += command.data.count
            state.shares[lane.user] = share
            state.lanes[lane]?.append(command)
            count(1, in: &state)
            return .held
        }
    }

    private func ask(_ command: HeldCommand, _ lane: HookLane, _ table: CommandTable) throws(Rejection) {
        guard let ask = command.declaration.ask else { return advance(lane, table) }
        try ask(table, command.data[...], command.caller, command.isServer, command.address) { [weak self] in
            self?.advance(lane, table)
        }
    }

    /// Carries out what waits in a lane, up to the next command that the hook decides about.
    private func advance(_ lane: HookLane, _ table: CommandTable) {
        while let next = next(in: lane) {
            do throws(Rejection) {
                guard next.declaration.ask != nil, table.engine.hook.isSet else {
                    try next.execute(table)
                    continue
                }
                return try ask(next, lane, table)
            } catch {
                table.engine.deliver(.failure(error), to: next.address)
            }
        }
    }

    /// - Returns: Nil if nothing waits; the lane then ends.
    private func next(in lane: HookLane) -> HeldCommand? {
        state.withLock { state in
            guard let waiting = state.lanes[lane], var share = state.shares[lane.user] else { return nil }
            guard let command = waiting.first else {
                state.lanes[lane] = nil
                lanes.store(state.lanes.count, ordering: .relaxed)
                share.lanes -= 1
                state.shares[lane.user] = share.lanes > 0 ? share : nil
                return nil
            }
            state.lanes[lane]?.removeFirst()
            share.commands -= 1
            share.bytes -= command.data.count
            state.shares[lane.user] = share
            count(-1, in: &state)
            return command
        }
    }

    private func count(_ change: Int, in state: inout State) {
        state.waiting += change
        waiting?.record(state.waiting)
    }

    private static let retryMilliseconds: Int64 = 1_000
}

extension HeldCommand {
    func execute(_ table: CommandTable) throws(Rejection) {
        try declaration.execute(table, data[...], caller, isServer, address)
    }
}
