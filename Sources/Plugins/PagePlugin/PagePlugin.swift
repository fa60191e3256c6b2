import Foundation
import PackagePlugin

/// Embeds the pages' files in the program: each file of `web` and `console` becomes a static string literal.
///
/// Runs when a file is added, changed or removed. A raw literal contains the text as it is; a file that is not UTF-8
/// fails to compile.
@main
struct PagePlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        let folders = ["web", "console"].map { target.directoryURL.appending(path: $0) }
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        let script = #"""
            set -eu
            fence=########
            output=$1
            shift
            {
                printf 'enum EmbeddedFiles {\n'
                for folder; do
                    cd "$folder"
                    printf '    static func %s(_ take: (StaticString, StaticString) -> Void) {\n' "$(basename "$folder")"
                    find . -type f ! -path '*/.*' | LC_ALL=C sort | while IFS= read -r path; do
                        case $path in
                        *[!A-Za-z0-9._/-]*) echo "error: a URL cannot hold the name $path as it is" >&2 && exit 1 ;;
                        esac
                        printf 'take("%s", %s"""\n' "${path#.}" "$fence"
                        cat "$path"
                        printf '\n"""%s)\n' "$fence"
                    done
                    printf '    }\n'
                done
                printf '}\n'
            } > "$output"
            """#
        // The build plan is cached: a prebuild command would not run again when only the text of a file changes.
        return [
            .buildCommand(
                displayName: "Embedding the pages", executable: URL(fileURLWithPath: "/bin/sh"),
                arguments: ["-c", script, "page", output.path()] + folders.map { $0.path() },
                inputFiles: try folders.flatMap(files), outputFiles: [output])
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
