import Foundation
import PackagePlugin

/// Generates a source file with the commit being built, for `belfry --version`.
///
/// The commit is that of the checkout or, without a history, the contents of `.commit`. Runs before every build, but
/// leaves the file untouched if the commit is the same, so that nothing is rebuilt.
@main
struct CommitPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        let folder = context.pluginWorkDirectoryURL.appending(path: "Generated")
        let script = """
            commit=$(git -C "$1" rev-parse --short=12 HEAD 2>/dev/null || cat "$1/.commit" 2>/dev/null || echo unknown)
            line="enum Commit { static let name = \\"$commit\\" }"
            mkdir -p "$2"
            [ "$(cat "$2/Commit.swift" 2>/dev/null)" = "$line" ] || printf '%s\\n' "$line" > "$2/Commit.swift"
            """
        return [
            .prebuildCommand(
                displayName: "Naming the commit", executable: URL(fileURLWithPath: "/bin/sh"),
                arguments: ["-c", script, "commit", context.package.directoryURL.path(), folder.path()],
                outputFilesDirectory: folder)
        ]
    }
}
