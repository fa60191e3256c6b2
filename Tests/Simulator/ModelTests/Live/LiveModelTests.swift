import Testing

/// Compares a live server with the naive model over the same scripts.
///
/// `BELFRY_LIVE_COMMANDS` sets the number of commands (default 2,000), `BELFRY_MODEL_SEED` the first seed.
@Suite struct LiveModelTests {
    @Test func `CH9 MS3 MS4 R3 U1: a live server returns what a naive model returns, over RPC and HTTP`() async throws {
        let commands = Scripts.number("BELFRY_LIVE_COMMANDS") ?? 2_000
        guard
            let refused = try await Scripts.play(
                LiveChat.self, commands: commands, comparedEvery: 400, attempts: 200)
        else { return }
        #expect((commands / 4...commands * 3 / 4).contains(refused.values.reduce(0, +)), "\(refused)")
    }
}
