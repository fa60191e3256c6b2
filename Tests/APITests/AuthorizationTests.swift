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

    @Test func `MS9: a command is no user's or its row says what becomes of it without a voice`() {
        for row in AuthorizationRow.commands {
            let isTheirs = row.right != .server && row.right != .newcomer
            #expect(isTheirs == (row.voice != .notTheirs), "\(row.testDescription)")
        }
    }

    /// The rows say which commands reach others; this looks whether they do. A new command that others hear of fails here
    /// until its row asks for a voice, or says why it needs none.
    @Test(arguments: ChannelKind.all, [Standing.member, .muted, .mutedOperator, .operator])
    func `MS9 ME4 CH10: what others hear of was done by someone with a voice, or needs none by its row`(
        kind: ChannelKind, standing: Standing
    ) async throws {
        let hasVoice = standing == .operator || standing == .member && !kind.isFrozen
        let tokens = await TokenVerifier(secret: Array(secret.utf8), clock: { 1_780_000_000_000 })
        var reached = 0
        for row in AuthorizationRow.commands {
            let scene = try AuthorizationScene(standing, in: kind, tokens)
            let code = scene.code(row)
            let heard = scene.heardByOthers
            reached += heard.isEmpty ? 0 : 1
            let what: Comment = "\(row.testDescription): \(code), \(heard)"
            switch row.voice {
            case .needed: #expect(heard.isEmpty || hasVoice && code == 0, what)
            case .takingBack, .allowed: #expect(heard.isEmpty || code == 0, what)
            case .unheard, .notTheirs: #expect(heard.isEmpty, what)
            }
        }
        // Deleting and leaving at the least; with a voice much more.
        #expect(reached >= (hasVoice ? 12 : 2))
    }

    @Test(arguments: ChannelKind.all, Standing.allCases)
    func `US2 CH2 CH7 CH8 CH9 CH10 ME2 ME3 ME4 ME5 MS7 MS8 MS9: who may do what`(
        kind: ChannelKind, standing: Standing
    ) async throws {
        try await tryEverything(AuthorizationRow.commands, standing, in: kind, expecting: \.right) { $0.code($1) }
    }

    @Test(arguments: ChannelKind.all, Standing.allCases)
    func `US2 CH9 CH10 ME3 ME4 MS1 MS9: who may upload and download`(kind: ChannelKind, standing: Standing) async throws
    {
        try await tryEverything(AuthorizationRow.files, standing, in: kind, expecting: \.right) { $0.fileCode($1) }
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
            #expect(code == right(row).code(for: standing, in: kind, row.voice), "\(row.testDescription)")
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
