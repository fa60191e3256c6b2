import Foundation
import PackagePlugin

/// Embeds the page's files in the program: each file of `web` becomes a static string literal.
///
/// Runs when a file is added, changed or removed. A raw literal contains the text as it is; a file that is not UTF-8
/// fails to compile.
@main
struct PagePlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        let web = target.directoryURL.appending(path: "web")
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        let script = #"""
            set -eu
            fence=########
            cd "$1"
            {
                printf 'enum EmbeddedFiles {\n    static func each(_ take: (StaticString, StaticString) -> Void) {\n'
                find . -type f ! -path '*/.*' | LC_ALL=C sort | while IFS= read -r path; do
                    case $path in
                    *[!A-Za-z0-9._/-]*) echo "error: a URL cannot hold the name $path as it is" >&2 && exit 1 ;;
                    esac
                    printf 'take("%s", %s"""\n' "${path#.}" "$fence"
                    cat "$path"
                    printf '\n"""%s)\n' "$fence"
                done
                printf '    }\n}\n'
            } > "$2"
            """#
        // The build plan is cached: a prebuild command would not run again when only the text of a file changes.
        return [
            .buildCommand(
                displayName: "Embedding the page", executable: URL(fileURLWithPath: "/bin/sh"),
                arguments: ["-c", script, "page", web.path(), output.path()], inputFiles: try files(in: web),
                outputFiles: [output])
        ]
    }

    /// Includes folders, because removing a file changes only its folder.
    private func files(in folder: URL) throws -> [URL] {
        let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        let paths = (walk?.allObjects as? [URL] ?? []).map { $0.path() }
        guard !paths.isEmpty else { throw PageError(description: "there is nothing in \(folder.path())") }
        return ([folder.path()] + paths.sorted()).map { URL(fileURLWithPath: $0) }
    }
}

struct PageError: Error, CustomStringConvertible {
    let description: String
}
