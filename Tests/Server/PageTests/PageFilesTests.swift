import Foundation
import HTTPTypes
import Testing

@testable import Page

@Suite struct PageFilesTests {
    private static let web = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/Server/Page/web")

    @Test func `the binary contains every file of the page, byte for byte`() throws {
        let embedded = PageFiles.embedded()
        let walk = try #require(FileManager.default.enumerator(atPath: Self.web.path()))
        var paths: Set<String> = []
        for case let path as String in walk where !path.split(separator: "/").contains(where: { $0.hasPrefix(".") }) {
            let file = Self.web.appending(path: path)
            guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
            let held = try #require(embedded["/\(path)"[...]], "\(path)")
            paths.insert("/\(path)")
            if path == "index.html" { continue }
            #expect(held.bytes == Array(try Data(contentsOf: file)), "\(path)")
        }
        #expect(Set(embedded.paths.filter { !$0.hasPrefix("/release/") }) == paths.union(["/"]))
        #expect(embedded["/"]?.entityTag == embedded["/index.html"]?.entityTag)
    }

    @Test func `the page refers to its files under a path that changes with their content`() throws {
        let embedded = PageFiles.embedded()
        let text = String(decoding: try #require(embedded["/"]).bytes, as: UTF8.self)
        let references = text.matches(of: /(?:href|src)="([^"]+)"/).map { "/" + $0.output.1 }
        #expect(references.count > 10)
        for path in references {
            let original = try #require(path.wholeMatch(of: /\/release\/[0-9a-f]{16}(\/.+)/)?.output.1, "\(path)")
            let file = try #require(embedded[path[...]], "\(path)")
            #expect(file.isImmutable && file.bytes == embedded[original]?.bytes, "\(path)")
        }
        // Relative imports resolve within the release path, and every file is also served under its plain path.
        let plain = embedded.paths.filter { !$0.hasPrefix("/release/") && $0 != "/" && $0 != "/index.html" }
        let release = try #require(references.first).split(separator: "/").prefix(2).joined(separator: "/")
        for path in plain {
            #expect(embedded[path[...]]?.isImmutable == false, "\(path)")
            #expect(embedded["/\(release)\(path)"[...]]?.bytes == embedded[path[...]]?.bytes, "\(path)")
        }
        #expect(embedded["/"]?.isImmutable == false && embedded["/\(release)/index.html"[...]] == nil)
    }

    @Test func `AD1: the console has its own index and modules, and shares the page's style sheet`() throws {
        let (page, console) = (PageFiles.embedded(), PageFiles.console())
        #expect(console["/css/tokens.css"]?.bytes == page["/css/tokens.css"]?.bytes)
        #expect(console["/console/main.js"] != nil && page["/console/main.js"] == nil)
        let text = String(decoding: try #require(console["/"]).bytes, as: UTF8.self)
        #expect(text.contains("console/main.js") && console["/index.html"]?.bytes != page["/index.html"]?.bytes)
        for path in text.matches(of: /(?:href|src)="([^"]+)"/).map({ "/" + $0.output.1 }) {
            #expect(console[path[...]]?.isImmutable == true, "\(path)")
        }
    }

    @Test func `the page says whether guests are enabled, and its entity tag depends on it`() throws {
        let pages = [false, true].map { PageFiles.embedded(allowsGuests: $0)["/"] }
        let texts = try pages.map { String(decoding: try #require($0).bytes, as: UTF8.self) }
        #expect(texts[0].contains(#"<meta name="guests" content="no">"#))
        #expect(texts[1].contains(#"<meta name="guests" content="yes">"#))
        #expect(pages[0]?.entityTag != pages[1]?.entityTag)
    }

    @Test func `a path matches only exactly as in the table`() throws {
        let files = PageFiles([
            "/index.html": try #require(PageFile(path: "/index.html", bytes: [1])),
            "/page/main.js": try #require(PageFile(path: "/page/main.js", bytes: [2])),
        ])
        #expect(files.paths == ["/", "/index.html", "/page/main.js"])
        for path in [
            "", "//", "/page", "/page/", "page/main.js", "//page/main.js", "/page//main.js", "/page/./main.js",
            "/page/../index.html", "/%70age/main.js", "/PAGE/main.js", "/page/main.js/", "/page/main.js\0",
            "/page\\main.js",
        ] {
            #expect(files[path[...]] == nil, "\(path)")
        }
    }

    @Test(arguments: [
        ("/index.html", "text/html; charset=utf-8"), ("/page/main.js", "text/javascript; charset=utf-8"),
        ("/a.b/c.css", "text/css; charset=utf-8"), ("/favicon.svg", "image/svg+xml; charset=utf-8"),
        ("/a.png", "image/png"), ("/a.min.js", "text/javascript; charset=utf-8"), ("/a", nil), ("/a.exe", nil),
        ("/a.", nil), ("/.js", nil), ("/a.js/b", nil), ("/a.JS", nil), ("", nil),
    ])
    func `the file extension determines the media type`(path: String, type: String?) {
        #expect(PageFile(path: path, bytes: [])?.mediaType == type)
    }

    @Test func `the entity tag is strong, and changes with every bit of the content`() throws {
        let one = try #require(PageFile(path: "/a.js", bytes: [0, 1, 2]))
        let same = try #require(PageFile(path: "/b.css", bytes: [0, 1, 2]))
        let other = try #require(PageFile(path: "/a.js", bytes: [0, 1, 3]))
        #expect(one.entityTag == same.entityTag && one.entityTag != other.entityTag)
        #expect(one.entityTag.text.wholeMatch(of: /"[0-9a-f]{32}"/) != nil)
    }
}
