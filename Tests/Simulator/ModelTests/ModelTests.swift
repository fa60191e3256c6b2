import Testing

/// Compares the domain with a naive model over random scripts in a small world.
///
/// `BELFRY_MODEL_COMMANDS` sets the number of commands (default 20,000), `BELFRY_MODEL_SEED` the first seed.
@Suite struct ModelTests {
    /// Covers parts of US2, US3, US4, US5, CH2, CH3, CH4, CH5, CH6, CH7, CH8, CH10, CH11, CH12, CH13, CH14,
    /// CH15, CH16, ME1, ME2, ME3, ME4, MO1, MO2, MO3, MO4, MO5, RO1, MS2, MS3, MS4, MS5, MS6, MS7, MS8, MS10,
    /// T1, T3, T4, T5, T6, T7, T8, U2, U3, U5, U6, R2, R3 and R4.
    @Test func `CH9 MS4 T4 R3 U1: the domain returns what a naive model returns after any commands`() async throws {
        let commands = Scripts.number("BELFRY_MODEL_COMMANDS") ?? 20_000
        guard
            let refused = try await Scripts.play(
                RealChat.self, commands: commands, comparedEvery: 50, attempts: 100_000)
        else { return }
        // Scripts in which all or no steps are refused would prove little.
        #expect((commands / 4...commands * 3 / 4).contains(refused.values.reduce(0, +)), "\(refused)")
        let common = [
            101, 107, 1000, 1001, 1002, 1005, 1006, 1007, 1008, 1010, 1015, 1020, 1023, 1024, 1025, 1026, 1032, 1033,
            1034,
        ]
        #expect(commands < 20_000 || common.allSatisfy { refused[$0] != nil }, "\(refused)")
        // These codes need a rare sequence, which a short script may never reach.
        let rare = [1003, 1004, 1012, 1013, 1014, 1016, 1021, 1022, 1050, 1051, 1052, 1054, 1055]
        #expect(commands < 500_000 || rare.allSatisfy { refused[$0] != nil }, "\(refused)")
    }
}
