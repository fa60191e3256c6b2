import Foundation
import PackagePlugin

/// Puts the page's files into the program: each file of `web` becomes a static string literal.
///
/// Runs before every build, so that a file that is added, changed or taken away is seen, and leaves the Swift file alone
/// while nothing has changed, so that nothing is rebuilt. A raw literal holds a text as it is; what cannot be in one
/// (other bytes than UTF-8) fails to compile.
@main
struct PagePlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        let folder = context.pluginWorkDirectoryURL.appending(path: "Generated")
        let script = #"""
            set -eu
            mkdir -p "$2"
            new=$2.new
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
            } > "$new"
            cmp -s "$new" "$2/EmbeddedFiles.swift" || mv "$new" "$2/EmbeddedFiles.swift"
            """#
        return [
            .prebuildCommand(
                displayName: "Embedding the page", executable: URL(fileURLWithPath: "/bin/sh"),
                arguments: ["-c", script, "page", target.directoryURL.appending(path: "web").path(), folder.path()],
                outputFilesDirectory: folder)
        ]
    }
}
