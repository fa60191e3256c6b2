import API
import ChatDomain
import Testing

/// Every command beside everyone who may try it, in every kind of channel: what the rules say and nothing else.
@Suite struct AuthorizationTests {
    @Test func `every command has its row of who may, and every row its command`() {
        let methods = Set(CommandTable.declarations.map(\.method))
        #expect(methods == Set(AuthorizationRow.commands.map(\.method)))
        let files = Set([PrepareUpload.method, RegisterFile.method, GetFile.method])
        #expect(files == Set(AuthorizationRow.files.map(\.method)))
    }

    @Test(arguments: ChannelKind.all, Standing.allCases)
    func `US2 CH2 CH7 CH8 CH9 CH10 ME2 ME3 ME4 ME5 MS7 MS8 MS9: who may do what`(
        kind: ChannelKind, standing: Standing
    ) async throws {
        try await tryEverything(AuthorizationRow.commands, standing, in: kind, expecting: { $0.right }) { $0.code($1) }
    }

    @Test(arguments: ChannelKind.all, Standing.allCases)
    func `US2 CH9 CH10 ME3 ME4 MS1 MS9: who may upload and download`(kind: ChannelKind, standing: Standing) async throws
    {
        try await tryEverything(AuthorizationRow.files, standing, in: kind, expecting: { $0.right }) { $0.fileCode($1) }
    }

    @Test(arguments: Standing.allCases.filter { $0 != .server })
    func `US2: the server key may for someone what they may themselves, and nothing more`(standing: Standing)
        async throws
    {
        // A command of the server alone is for nobody else, whoever asks.
        try await tryEverything(
            AuthorizationRow.commands, standing, in: ChannelKind(isPublic: false, isFrozen: false),
            expecting: { $0.right == .server || $0.right == .newcomer ? .nobody : $0.right }
        ) { $0.code($1, isNamed: true) }
    }

    /// Row by row in one scene, which is set up anew after whatever may have changed it.
    private func tryEverything(
        _ rows: [AuthorizationRow], _ standing: Standing, in kind: ChannelKind,
        expecting right: (AuthorizationRow) -> Right, _ code: (AuthorizationScene, AuthorizationRow) -> Int
    ) async throws {
        let tokens = await TokenVerifier(secret: Array(secret.utf8), clock: { 1_780_000_000_000 })
        var scene = try AuthorizationScene(standing, in: kind, tokens)
        for row in rows {
            let code = code(scene, row)
            #expect(code == right(row).code(for: standing, in: kind), "\(row.testDescription)")
            if code == 0, !Self.queries.contains(row.method) {
                scene = try AuthorizationScene(standing, in: kind, tokens)
            }
        }
    }

    private static let queries = Set(
        CommandTable.declarations.filter { $0.request is any Query.Type }.map(\.method) + [
            PrepareUpload.method, GetFile.method,
        ])
}
