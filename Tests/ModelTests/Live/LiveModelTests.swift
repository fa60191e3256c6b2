import Testing

/// A live server against the naive model, over the same scripts.
///
/// `BELFRY_LIVE_COMMANDS` says how many commands (2,000 when it is absent), `BELFRY_MODEL_SEED` from which seed on.
@Suite struct LiveModelTests {
    @Test func `CH9 MS3 MS4 R3 U1: a live server tells by RPC and by HTTP what a naive model tells`() async throws {
        let commands = Scripts.number("BELFRY_LIVE_COMMANDS") ?? 2_000
        guard
            let refused = try await Scripts.play(
                LiveChat.self, commands: commands, comparedEvery: 400, attempts: 200)
        else { return }
        #expect((commands / 4...commands * 3 / 4).contains(refused.values.reduce(0, +)), "\(refused)")
    }
}
