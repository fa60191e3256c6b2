import Foundation
import Testing

@testable import Page

@Suite struct PageFolderTests {
    /// A folder that is removed at the end of the test.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString)")
        var path: String { url.path(percentEncoded: false) }

        init(_ files: [String: String] = ["index.html": "<!doctype html>"]) throws {
            for (path, text) in files {
                let file = url.appending(path: path)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: file)
            }
        }

        deinit { try? FileManager.default.removeItem(at: url) }
    }

    private func refusal(of folder: Folder, _ limits: PageFiles.Limits = .init()) -> String? {
        do throws(PageFolderError) {
            _ = try PageFiles(folder: folder.path, limits: limits)
            return nil
        } catch {
            return error.description.replacing(folder.path, with: "F")
        }
    }

    @Test func `every file in a folder is served under its path, except dot files`() throws {
        let folder = try Folder([
            "index.html": "i", "page/main.js": "m", "a/b/c.css": "", ".git/config": "x", ".a.js.swp": "x",
        ])
        let files = try PageFiles(folder: folder.path)
        #expect(files.paths == ["/", "/a/b/c.css", "/index.html", "/page/main.js"])
        #expect(files["/page/main.js"]?.bytes == Array("m".utf8) && files["/a/b/c.css"]?.bytes == [])
    }

    @Test func `the folder itself can be a symbolic link and end with a slash`() throws {
        let folder = try Folder()
        let link = folder.url.deletingLastPathComponent().appending(path: "link-\(UUID().uuidString)")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.url)
        defer { try? FileManager.default.removeItem(at: link) }
        #expect(try PageFiles(folder: link.path() + "/").paths == ["/", "/index.html"])
    }

    @Test func `an index with the guests placeholder gets the setting, and every other byte is unchanged`() throws {
        let folder = try Folder(["a.html": #"<meta name="guests" content="no">"#])
        let index = [[0xFF], Array(#"<meta name="guests" content="no">"#.utf8), [0xFE]].flatMap(\.self) as [UInt8]
        try Data(index).write(to: folder.url.appending(path: "index.html"))
        #expect(try PageFiles(folder: folder.path)["/"]?.bytes == index)
        let told = try PageFiles(folder: folder.path, allowsGuests: true)
        #expect(told["/"]?.bytes == [0xFF] + Array(#"<meta name="guests" content="yes">"#.utf8) + [0xFE])
        #expect(told["/index.html"]?.bytes == told["/"]?.bytes)
        #expect(told["/a.html"]?.bytes == Array(#"<meta name="guests" content="no">"#.utf8))
    }

    @Test func `a folder without an index, or a path that is not a folder, is refused`() throws {
        #expect(refusal(of: try Folder(["main.js": ""])) == "\"F\" has no index.html")
        #expect(throws: PageFolderError(description: "cannot read \"/nowhere/at/all\": No such file or directory")) {
            try PageFiles(folder: "/nowhere/at/all")
        }
        let folder = try Folder()
        #expect(throws: PageFolderError.self) { try PageFiles(folder: folder.path + "/index.html") }
    }

    @Test func `symbolic links, pipes, unsafe names and unknown types are refused, each by name`() throws {
        for (name, target) in [("a.js", "/etc/passwd"), ("b.js", "index.html"), ("c", "/etc"), ("d.js", "nowhere")] {
            let folder = try Folder()
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/" + name, withDestinationPath: target)
            #expect(refusal(of: folder) == "\"F/\(name)\" is a symbolic link")
        }
        let folder = try Folder()
        #expect(mkfifo(folder.path + "/pipe.js", 0o600) == 0)
        #expect(refusal(of: folder) == "\"F/pipe.js\" is neither a file nor a folder")
        for (name, what) in [
            ("a b.js", "has a name that would need escaping in a URL"),
            ("ä.js", "has a name that would need escaping in a URL"),
            ("a%20.js", "has a name that would need escaping in a URL"),
            ("a.exe", "has a file type that is not served"),
            ("Makefile", "has a file type that is not served"),
        ] {
            #expect(refusal(of: try Folder(["index.html": "", name: ""])) == "\"F/\(name)\" \(what)")
        }
    }

    @Test func `entries, bytes and depth are limited, and values at the limit are accepted`() throws {
        let folder = try Folder(["index.html": "1234", "a/b/c.js": "567"])
        var limits = PageFiles.Limits()
        (limits.entries, limits.bytes, limits.depth) = (4, 7, 2)
        #expect(refusal(of: folder, limits) == nil)
        limits.entries = 3
        #expect(refusal(of: folder, limits) == "\"F\" has more than 3 files and folders")
        (limits.entries, limits.bytes) = (4, 6)
        #expect(refusal(of: folder, limits) == "\"F\" has more than 6 bytes")
        (limits.bytes, limits.depth) = (7, 1)
        #expect(refusal(of: folder, limits) == "\"F/a/b\" is a folder nested more than 1 levels deep")
    }
}
