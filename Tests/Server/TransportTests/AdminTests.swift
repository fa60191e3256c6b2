import ChatDomain
import HTTPTypes
import Testing

@testable import Belfry
@testable import Transport

@Suite struct AdminGuardTests {
    private func admits(
        _ authority: String?, _ fields: [(String, String)] = [], hosts: [String] = []
    ) throws -> Bool {
        var request = HTTPRequest(method: .get, scheme: nil, authority: authority, path: "/connections")
        for (name, value) in fields {
            request.headerFields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        return try #require(AdminGuard(hosts: hosts)).admits(request)
    }

    @Test(arguments: [
        "localhost", "LOCALHOST:9090", "127.0.0.1", "127.0.0.1:9090", "127.8.0.1:1", "[::1]:9090", "[::1]",
    ])
    func `a request for a loopback address is accepted`(authority: String) throws {
        #expect(try admits(authority))
    }

    @Test(arguments: [
        "chat.example.com", "localhost.example.com", "127.0.0.1.example.com", "192.0.2.1:9090", "[::2]:9090", "0.0.0.0",
        "localhost.", "127.1", "", "a@localhost",
    ])
    func `a host name rebound to this machine is refused`(authority: String) throws {
        #expect(try !admits(authority))
        #expect(try !admits(nil))
    }

    @Test func `AD1: a proxy may pass on its own host name, with any port, if it is allowed`() throws {
        let hosts = ["Console.example.com", "10.0.0.1"]
        for authority in ["console.example.com", "CONSOLE.example.com:8443", "10.0.0.1", "localhost:9090"] {
            #expect(try admits(authority, hosts: hosts), "\(authority)")
        }
        for authority in ["example.com", "a.console.example.com", "console.example.com.", "10.0.0.2"] {
            #expect(try !admits(authority, hosts: hosts), "\(authority)")
        }
        #expect(try !admits("console.example.com"))
    }

    @Test(arguments: ["", "a b", "a:1", "https://a", "a/", "a,b", "[::1]", "a.", "*"])
    func `AD1: an invalid host name cannot be allowed`(host: String) {
        #expect(AdminGuard(hosts: [host]) == nil)
    }

    @Test func `AD1: the console's own origin is admitted, and no other`() throws {
        let address = "127.0.0.1:9090"
        #expect(try admits(address, [("Origin", "http://127.0.0.1:9090"), ("Sec-Fetch-Site", "same-origin")]))
        #expect(try admits(address, [("Sec-Fetch-Site", "same-origin")]))
        #expect(try admits("a.example", [("Origin", "https://a.example")], hosts: ["a.example"]))
        for origin in [
            "http://127.0.0.1:9091", "http://127.0.0.1", "http://localhost:9090", "null", "", "127.0.0.1:9090",
            "ftp://127.0.0.1:9090", "http://127.0.0.1:9090/", "https://a.example",
        ] {
            #expect(try !admits(address, [("Origin", origin)], hosts: ["a.example"]), "\(origin)")
        }
        let own = ("Origin", "http://127.0.0.1:9090")
        #expect(try !admits(address, [own, ("Origin", "https://evil.example.com")]))
        #expect(try !admits(address, [own, ("Sec-Fetch-Site", "cross-site")]))
    }

    @Test func `a request sent by a web page is refused, and an address typed by a user is not`() throws {
        #expect(try !admits("localhost", [("Origin", "https://evil.example.com")]))
        #expect(try !admits("localhost", [("Origin", "null")]))
        for site in ["cross-site", "same-site", ""] {
            #expect(try !admits("localhost", [("Sec-Fetch-Site", site)]), "\(site)")
        }
        #expect(try !admits("localhost", [("Sec-Fetch-Site", "none"), ("Sec-Fetch-Site", "cross-site")]))
        #expect(try admits("localhost", [("Sec-Fetch-Site", "none")]))
    }
}

@Suite struct AdminQueryTests {
    @Test func `names and values are unescaped`() throws {
        let query = try AdminQuery("/rooms?after=%23ann+%C3%a4&limit=7", names: ["after", "limit"])
        #expect(query["after"] == "#ann+ä")
        #expect(try query.number("limit", in: 1...10, default: 3) == 7)
        for range in [1...6, 8...10] {
            #expect(throws: BadAdminQuery.self) { try query.number("limit", in: range, default: 3) }
        }
        #expect(throws: BadAdminQuery.self) { try query.number("after", in: 1...6, default: 3) }
        #expect(try query.value("after", "a number") { $0 } == "#ann+ä")
        #expect(throws: BadAdminQuery.self) { try query.value("after", "a number") { Int($0) } }
        for path in ["/rooms", "/rooms?", nil] {
            #expect(try AdminQuery(path, names: ["limit"]).number("limit", in: 1...9, default: 3) == 3)
        }
    }

    @Test(arguments: [
        "/rooms?other=1", "/rooms?a=1&a=2", "/rooms?a=%FF", "/rooms?a=%", "/rooms?a=%2", "/rooms?a=%zz", "/rooms?=1",
    ])
    func `an ambiguous query is refused`(path: String) {
        #expect(throws: BadAdminQuery.self) { try AdminQuery(path, names: ["a"]) }
    }

    @Test(arguments: ["#ann", "ä b/c?d&e=f%", "a-b_c.d~", "", "\u{301}"])
    func `escaped text is decoded`(text: String) throws {
        let query = try AdminQuery("/rooms?after=" + PercentEncoding.encode(text), names: ["after"])
        #expect(query["after"] == text)
    }
}

@Suite struct AdminSettingsTests {
    @Test(arguments: ["127.0.0.1", "127.0.0.2", "::1", "localhost", nil])
    func `the admin listener must be on a loopback address`(host: String?) throws {
        var admin = Configuration.Admin()
        (admin.host, admin.port) = (host, 9_090)
        let address = try #require(try admin.address())
        #expect(address.host == host ?? "127.0.0.1" && address.port == 9_090)
    }

    @Test(arguments: ["0.0.0.0", "::", "192.0.2.1", "chat.example.com", ""])
    func `an address that others can reach is refused with the reason`(host: String) {
        var admin = Configuration.Admin()
        (admin.host, admin.port) = (host, 9_090)
        #expect { try admin.address() } throws: { "\($0)".contains("must be a loopback address") }
    }

    @Test func `AD1: an invalid allowed host is refused at startup`() throws {
        var admin = Configuration.Admin()
        admin.allowedHosts = ["console.example.com"]
        _ = try admin.hostGuard()
        admin.allowedHosts.append("https://console.example.com")
        #expect { try admin.hostGuard() } throws: { "\($0)" == "admin: allowedHosts must be host names without ports" }
    }

    @Test func `there is no admin listener by default, and a host alone is refused`() throws {
        var admin = Configuration.Admin()
        #expect(try admin.address() == nil)
        admin.host = "127.0.0.1"
        #expect { try admin.address() } throws: { "\($0)" == "admin.host needs admin.port" }
    }
}

@Suite struct DistributionTests {
    private func distribution(_ counts: UInt64...) -> Distribution { Distribution(bounds: [1, 2, 4], counts: counts) }

    @Test func `a quantile is interpolated within its bucket`() {
        #expect(distribution(0, 10, 0, 0).quantile(0.5) == 1.5)
        #expect(distribution(10, 0, 0, 0).quantile(0.5) == 0.5)
        #expect(distribution(5, 4, 1, 0).quantile(0.5) == 1)
        #expect(distribution(5, 4, 1, 0).quantile(1) == 4)
        #expect(distribution(0, 0, 4, 0).quantile(0) == 2)
    }

    @Test func `above all bounds the highest is returned, and without values nothing is`() {
        #expect(distribution(1, 0, 0, 99).quantile(0.99) == 4)
        #expect(distribution(0, 0, 0, 0).quantile(0.5) == nil)
        #expect(distribution(0, 0, 0, 0).count == 0 && distribution(1, 2, 3, 4).count == 10)
    }
}
