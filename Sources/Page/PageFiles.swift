import Crypto

/// The web client: its files by the path under which a browser asks for them.
package struct PageFiles: Sendable {
    private let files: [String: PageFile]

    /// The files by their paths, `/css/base.css`; `/index.html` stands for `/` too.
    init(_ files: [String: PageFile]) {
        var files = files
        files["/"] = files["/index.html"]
        self.files = files
    }

    /// Those that are in the program.
    ///
    /// - Parameter guestsAreWelcome: Whether the page offers to come in without an account.
    package static func embedded(guestsAreWelcome: Bool = false) -> PageFiles {
        var files: [String: PageFile] = [:]
        EmbeddedFiles.each { path, text in
            files[path.description] = PageFile(path: path.description, bytes: text.withUTF8Buffer { Array($0) })
        }
        if guestsAreWelcome { tellOfGuests(&files) }
        return PageFiles(released(files))
    }

    /// Gives the other answer to a question that the index answers with no, where it does.
    static func tellOfGuests(_ files: inout [String: PageFile]) {
        guard let index = files["/index.html"] else { return }
        let bytes = index.bytes.replacing(
            Array(#"<meta name="guests" content="no">"#.utf8), with: Array(#"<meta name="guests" content="yes">"#.utf8))
        files["/index.html"] = PageFile(path: "/index.html", bytes: bytes)
    }

    /// Adds every file under `/release/<what all of them hold>/`, and lets `index.html` refer to those: a browser fetches them
    /// once, and again only when something has changed. What they import by relative paths is there too.
    private static func released(_ files: [String: PageFile]) -> [String: PageFile] {
        guard let index = files["/index.html"] else { return files }
        var hash = SHA256()
        for (path, file) in files.sorted(by: { $0.key < $1.key }) {
            hash.update(data: Array("\(path) \(file.entityTag.text)\n".utf8))
        }
        let release = "release/" + hash.finalize().prefix(8).map { PageFile.hex($0) }.joined()
        var all = files
        var text = String(decoding: index.bytes, as: UTF8.self)
        for (path, file) in files where path != "/index.html" {
            all["/" + release + path] = file.immutable
            text = text.split(separator: "\"\(path.dropFirst())\"", omittingEmptySubsequences: false)
                .joined(separator: "\"\(release)\(path)\"")
        }
        all["/index.html"] = PageFile(path: "/index.html", bytes: Array(text.utf8))
        return all
    }

    /// Compared byte by byte: nothing is decoded, and no path leads anywhere but into this table.
    package subscript(path: Substring) -> PageFile? { files[String(path)] }

    /// Ordered, `/` among them.
    package var paths: [String] { files.keys.sorted() }
}
