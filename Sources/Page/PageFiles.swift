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
    package static func embedded() -> PageFiles {
        var files: [String: PageFile] = [:]
        EmbeddedFiles.each { path, text in
            files[path.description] = PageFile(path: path.description, bytes: text.withUTF8Buffer { Array($0) })
        }
        return PageFiles(files)
    }

    /// Compared byte by byte: nothing is decoded, and no path leads anywhere but into this table.
    package subscript(path: Substring) -> PageFile? { files[String(path)] }

    /// Ordered, `/` among them.
    package var paths: [String] { files.keys.sorted() }
}
