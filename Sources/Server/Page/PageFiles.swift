import Cryptography

/// The files of the web client by URL path.
package struct PageFiles: Sendable {
    private let files: [String: PageFile]

    /// Files by path, such as `/css/base.css`; `/index.html` is also served at `/`.
    init(_ files: [String: PageFile]) {
        var files = files
        files["/"] = files["/index.html"]
        self.files = files
    }

    /// The files embedded in the program.
    ///
    /// - Parameter allowsGuests: Whether the page offers to sign in without an account.
    package static func embedded(allowsGuests: Bool = false) -> PageFiles {
        var files = sources(EmbeddedFiles.web)
        if allowsGuests { enableGuests(in: &files) }
        return PageFiles(released(files))
    }

    /// The console's files, and those of the web client that it shares: its style sheet, modules and icon. The index is
    /// the console's.
    package static func console() -> PageFiles {
        var files = sources(EmbeddedFiles.web)
        for (path, file) in sources(EmbeddedFiles.console) {
            files[path == "/index.html" ? path : "/console" + path] = file
        }
        return PageFiles(released(files))
    }

    private static func sources(_ each: ((StaticString, StaticString) -> Void) -> Void) -> [String: PageFile] {
        var files: [String: PageFile] = [:]
        each { path, text in
            files[path.description] = PageFile(path: path.description, bytes: text.withUTF8Buffer { Array($0) })
        }
        return files
    }

    /// Changes the index's `guests` meta tag from no to yes, if it has one.
    static func enableGuests(in files: inout [String: PageFile]) {
        guard let index = files["/index.html"] else { return }
        let bytes = index.bytes.replacing(
            Array(#"<meta name="guests" content="no">"#.utf8), with: Array(#"<meta name="guests" content="yes">"#.utf8))
        files["/index.html"] = PageFile(path: "/index.html", bytes: bytes)
    }

    /// Adds every file under `/release/<hash of all files>/` and makes `index.html` refer to these paths, so that
    /// browsers fetch the files once and again only after a change. Relative imports resolve within the release.
    private static func released(_ files: [String: PageFile]) -> [String: PageFile] {
        guard let index = files["/index.html"] else { return files }
        var hash = SHA256()
        for (path, file) in files.sorted(by: { $0.key < $1.key }) {
            hash.update(Array("\(path) \(file.entityTag.text)\n".utf8))
        }
        let release = "release/" + hash.finalize().prefix(8).map { PageFile.hex($0) }.joined()
        var all = files
        for (path, file) in files where path != "/index.html" { all["/" + release + path] = file.immutable }
        let quote = UInt8(ascii: "\"")
        let parts = index.bytes.split(separator: quote, omittingEmptySubsequences: false).map { part in
            let path = "/" + String(decoding: part, as: UTF8.self)
            return files[path] != nil && path != "/index.html" ? Array((release + path).utf8) : Array(part)
        }
        all["/index.html"] = PageFile(path: "/index.html", bytes: Array(parts.joined(separator: [quote])))
        return all
    }

    /// Paths are compared byte by byte, without decoding, so a path can only lead into this table.
    package subscript(path: Substring) -> PageFile? { files[String(path)] }

    /// The paths, sorted, including `/`.
    package var paths: [String] { files.keys.sorted() }
}
