import API
import ChatDomain
import Testing

/// Checks every command for every possible caller in every kind of channel against the rules.
@Suite struct AuthorizationTests {
    @Test func `every command has an authorization row, and every row a command`() {
        let methods = Set(CommandTable.declarations.map(\.method))
        #expect(methods == Set(AuthorizationRow.commands.map(\.method)))
        let files = Set([PrepareUpload.method, RegisterFile.method, GetFile.method])
        #expect(files == Set(AuthorizationRow.files.map(\.method)))
    }

    @Test func `MS9: the row of every user command defines what silenced users can do with it`() {
        for row in AuthorizationRow.commands {
            let isTheirs = row.right != .server && row.right != .newcomer
            #expect(isTheirs == (row.voice != .notTheirs), "\(row.testDescription)")
        }
    }

    /// The rows state which commands are visible to others, and this test checks it. A new command that is visible to
    /// others fails here until its row requires a voice or an exemption.
    @Test(
        arguments: ChannelKind.all,
        [Standing.member, .muted, .mutedOperator, .operator, .appMuted, .blocked, .blockedOperator])
    func `MS9 ME4 CH10 MO1 MO2: a command visible to others is refused to silenced users, unless its row exempts it`(
        kind: ChannelKind, standing: Standing
    ) throws {
        let hasVoice = standing == .operator || standing == .member && !kind.isFrozen
        let tokens = TokenVerifier(secret: Array(secret.utf8), clock: { 1_780_000_000_000 })
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
            case .unheard, .beginning, .notTheirs: #expect(heard.isEmpty, what)
            }
        }
        // At least deleting and leaving reach others, and with a voice many more commands.
        #expect(reached >= (hasVoice ? 12 : 2))
    }

    @Test(arguments: ChannelKind.all, Standing.allCases)
    func `US2 CH2 CH7 CH8 CH9 CH10 ME2 ME3 ME4 ME5 MS7 MS8 MS9 RO1: commands are allowed or refused as the table says`(
        kind: ChannelKind, standing: Standing
    ) throws {
        try tryEverything(AuthorizationRow.commands, standing, in: kind, expecting: \.right) { $0.code($1) }
    }

    @Test(arguments: ChannelKind.all, Standing.allCases)
    func `US2 CH9 CH10 ME3 ME4 MS1 MS9 RO1: file access follows its row`(kind: ChannelKind, standing: Standing) throws {
        try tryEverything(AuthorizationRow.files, standing, in: kind, expecting: \.right) { $0.fileCode($1) }
    }

    @Test(arguments: Standing.allCases.filter { $0 != .server })
    func `US2: acting as a user, a server key can do exactly what the user can`(standing: Standing) throws {
        // A server-only command is refused to a key that acts as a user.
        try tryEverything(
            AuthorizationRow.commands, standing, in: ChannelKind(isPublic: false, isFrozen: false),
            expecting: { $0.right == .server || $0.right == .newcomer ? .nobody : $0.right }
        ) { $0.code($1, isNamed: true) }
    }

    /// Tries each row in one scene, which is rebuilt after a command that may have changed it.
    private func tryEverything(
        _ rows: [AuthorizationRow], _ standing: Standing, in kind: ChannelKind,
        expecting right: (AuthorizationRow) -> Right, _ code: (AuthorizationScene, AuthorizationRow) -> Int
    ) throws {
        let tokens = TokenVerifier(secret: Array(secret.utf8), clock: { 1_780_000_000_000 })
        var scene = try AuthorizationScene(standing, in: kind, tokens)
        for row in rows {
            let code = code(scene, row)
            #expect(
                code == right(row).code(for: standing, in: kind, row.voice, row.permission),
                "\(row.testDescription)")
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
