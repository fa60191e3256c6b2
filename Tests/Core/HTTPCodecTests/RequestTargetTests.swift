import HTTPCodec
import Testing

@Suite struct RequestTargetTests {
    @Test(
        arguments: [
            ("/", .origin(path: "/")), ("//x", .origin(path: "//x")),
            ("/a?b=c|d&e[]={}", .origin(path: "/a?b=c|d&e[]={}")),
            ("/%41", .origin(path: "/%41")), ("*", .asterisk),
            ("http://ann", .absolute(scheme: "http", authority: "ann", path: "/")),
            ("hTTps://ann:1/x", .absolute(scheme: "https", authority: "ann:1", path: "/x")),
            ("http://ann?x", .absolute(scheme: "http", authority: "ann", path: "/?x")),
            ("http://[::1]/", .absolute(scheme: "http", authority: "[::1]", path: "/")),
        ] as [(String, RequestTarget)])
    func `the forms of a target are distinguished`(text: String, target: RequestTarget) throws {
        #expect(try RequestTarget.parse(Array(text.utf8).span) == target)
    }

    @Test(
        arguments: [
            "", "x", "**", "ann:443", "ftp://ann/", "http:", "http://", "http:///x", "http:/ann", "http://a@b/",
            "http://a b/", "http://a:99999/", "/#top", "/a b", "/\u{0}", "/\u{7F}", "/é", "/\\x", "/\"", "/<", "/%",
            "/%4", "/%4g", "/%g4", "/%%41",
        ])
    func `malformed request targets are refused`(text: String) {
        #expect(throws: HTTPViolation.invalidTarget) { try RequestTarget.parse(Array(text.utf8).span) }
    }

    @Test(
        arguments: [
            ("OPTIONS *", nil), ("GET *", .invalidTarget), ("CONNECT ann:443", .invalidTarget),
            ("CONNECT /", .invalidTarget),
        ] as [(String, HTTPViolation?)])
    func `only OPTIONS may use an asterisk, no method the authority form`(start: String, violation: HTTPViolation?) {
        #expect(decode("\(start) HTTP/1.1\r\nHost: ann\r\n\r\n").violation == violation)
    }

    @Test(
        arguments: [
            ("ann", "ann", nil), ("Ann.Example", "ann.example", nil), ("ann:", "ann", nil), ("ann:0", "ann", 0),
            ("ann:65535", "ann", 65_535), ("127.0.0.1:80", "127.0.0.1", 80), ("[2001:DB8::1]:80", "[2001:db8::1]", 80),
            ("[::ffff:1.2.3.4]", "[::ffff:1.2.3.4]", nil), ("a_b-c~", "a_b-c~", nil), ("[::1]:", "[::1]", nil),
        ] as [(String, String, UInt16?)])
    func `an authority is a host and an optional port`(text: String, host: String, port: UInt16?) throws {
        let authority = try #require(Authority(text))
        #expect(authority.host == host)
        #expect(authority.port == port)
    }

    @Test(
        arguments: [
            "", ":", ":80", "ann:65536", "ann:000080", "ann:-1", "ann:+1", "ann:8a", "ann:80:80", "a b", "a,b", "a@b",
            "a/b", "a?b", "a%41", "é", "[::1", "[]", "[::1]x", "[g::]", "[1]", "a\u{0}", "a\u{301}", "::1",
        ])
    func `an invalid authority is refused`(text: String) {
        #expect(Authority(text) == nil)
    }
}
