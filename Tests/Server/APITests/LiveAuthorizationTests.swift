import API
import ChatDomain
import FoundationEssentials
import LiveServers
import Testing

/// Checks the rows of the authorization table on three nodes, over HTTP.
///
/// Each standing is tried in one kind of channel; with `BELFRY_ALL_AUTHORIZATIONS=1`, in all four.
@Suite(.enabled(if: LiveServers.canCluster, "the build has no trait Cluster, or BELFRY_NATS_SERVER names no server"))
struct LiveAuthorizationTests {
    @Test func `US2 CH2 CH7 CH8 CH9 CH10 ME2 ME3 ME4 ME5 MS7 MS8 MS9 RO1: every node allows and refuses the same`()
        async throws
    {
        let servers = try await LiveServers(3) { $0.chat.guests.isEnabled = true }
        let isComplete = ProcessInfo.processInfo.environment["BELFRY_ALL_AUTHORIZATIONS"] == "1"
        var serial = 0
        for standing in Standing.allCases {
            let kinds = isComplete ? ChannelKind.all : [ChannelKind.all[standing.rawValue % ChannelKind.all.count]]
            for kind in kinds {
                var scene: LiveAuthorizationScene?
                for row in AuthorizationRow.commands where !Self.isOfAllScenes(row, standing) {
                    if scene == nil {
                        serial += 1
                        scene = try await LiveAuthorizationScene(standing, in: kind, servers, serial: serial)
                    }
                    let code = try await scene?.code(row)
                    let what: Comment = "\(row.testDescription), \(standing) in a \(kind.testDescription) channel"
                    #expect(code == row.right.code(for: standing, in: kind, row.voice, row.permission), what)
                    if code == 0, !Self.queries.contains(row.method) { scene = nil }
                }
            }
        }
        #expect(serial > Standing.allCases.count)
        // Last, because they succeed and change the app for all scenes.
        let scene = try await LiveAuthorizationScene(.server, in: ChannelKind.all[0], servers, serial: serial + 1)
        for row in AuthorizationRow.commands where Self.isOfAllScenes(row, .server) {
            #expect(try await scene.code(row) == 0, "\(row.testDescription), by the server")
        }
        await servers.end()
    }

    /// Whether a command that succeeds changes the app for all scenes.
    private static func isOfAllScenes(_ row: AuthorizationRow, _ standing: Standing) -> Bool {
        let methods = ["emoji.create", "emoji.delete", "import.finish", "role.set", "text_rule.set"]
        return standing == .server && methods.contains(row.method)
    }

    private static let queries = Set(
        CommandTable.declarations.filter { $0.request is any Query.Type }.map(\.method))
}
