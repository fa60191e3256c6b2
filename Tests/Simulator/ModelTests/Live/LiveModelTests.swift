import LiveServers
import Testing

/// Compares a live server with the naive model over the same scripts.
///
/// `BELFRY_LIVE_COMMANDS` sets the number of commands (default 2,000, on three nodes 800), `BELFRY_MODEL_SEED` the first
/// seed.
@Suite struct LiveModelTests {
    @Test func `CH9 MS3 MS4 R3 U1: a live server returns what a naive model returns, over RPC and HTTP`() async throws {
        let commands = Scripts.number("BELFRY_LIVE_COMMANDS") ?? 2_000
        guard
            let refused = try await Scripts.play(
                LiveChat<OneServer>.self, commands: commands, comparedEvery: 400, attempts: 200)
        else { return }
        #expect((commands / 4...commands * 3 / 4).contains(refused.values.reduce(0, +)), "\(refused)")
    }

    @Test(.enabled(if: LiveServers.canCluster, "the build has no trait Cluster, or BELFRY_NATS_SERVER names no server"))
    func `CH9 MS3 MS4 R3 U1: clients spread over three nodes get what a naive model returns`() async throws {
        let commands = Scripts.number("BELFRY_LIVE_COMMANDS") ?? 800
        guard
            let refused = try await Scripts.play(
                LiveChat<ThreeNodes>.self, commands: commands, comparedEvery: 200, attempts: 20)
        else { return }
        #expect((commands / 4...commands * 3 / 4).contains(refused.values.reduce(0, +)), "\(refused)")
    }
}
