import EventLoops
import HTTPTypes
import Testing

@testable import Transport

@Suite struct FrontsTests {
    private static func client(_ fields: [String], trusting ranges: [String] = ["10.0.0.0/8", "::1"]) throws -> String?
    {
        var proxies = TrustedProxies()
        proxies.ranges = ranges.compactMap { IPRange($0) }
        let name = try #require(HTTPField.Name("X-Forwarded-For"))
        return proxies.client(in: HTTPFields(fields.map { HTTPField(name: name, value: $0) }))
    }

    @Test func `the client is the last hop that is not a proxy, and its claims about earlier hops are ignored`() throws
    {
        #expect(try Self.client([]) == nil)
        #expect(try Self.client(["192.0.2.1"]) == "192.0.2.1")
        #expect(try Self.client(["1.1.1.1, 192.0.2.1"]) == "192.0.2.1")
        #expect(try Self.client(["1.1.1.1", "192.0.2.1, 10.0.0.7,::1"]) == "192.0.2.1")
        #expect(try Self.client(["192.0.2.1:4711"]) == "192.0.2.1")
        #expect(try Self.client(["[2001:db8::1]:80"]) == "2001:db8::1")
        #expect(try Self.client(["2001:DB8::1"]) == "2001:db8::1")
        #expect(try Self.client(["10.0.0.1"]) == nil)
        #expect(try Self.client(["192.0.2.1, unknown"]) == nil)
        #expect(try Self.client(["192.0.2.1, , "]) == "192.0.2.1")
        #expect(try Self.client(["192.0.2.1, 10.0.0.1"], trusting: []) == "10.0.0.1")
    }

    @Test func `a list of origins applies to browsers, and is compared byte by byte apart from case`() throws {
        let origins = try #require(AllowedOrigins(["https://chat.example.com", "http://localhost:3000"]))
        func admit(_ values: String...) -> Bool {
            origins.allows(HTTPFields(values.map { HTTPField(name: .origin, value: $0) }))
        }
        #expect(admit() && admit("https://chat.example.com") && admit("HTTPS://Chat.example.com"))
        #expect(admit("http://localhost:3000"))
        for other in [
            "null", "", "http://chat.example.com", "https://chat.example.com:444", "https://evil.example.com",
            "https://chat.example.com.evil.com", "https://chat.example.com/", "http://localhost",
        ] {
            #expect(!admit(other), "\(other)")
        }
        #expect(!admit("https://chat.example.com", "https://chat.example.com"))
        #expect(AllowedOrigins().allows([.origin: "https://anywhere"]))
    }

    @Test(arguments: [
        "*", "chat.example.com", "https://", "https://a/b", "ftp://a", "https://a b", "https://a?", "://a",
    ])
    func `an invalid origin is refused`(text: String) {
        #expect(AllowedOrigins([text]) == nil)
    }
}
