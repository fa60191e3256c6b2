import EventLoops
import Testing

@Suite struct IPAddressTests {
    @Test func `all spellings of an address have the same canonical form`() {
        #expect(IPAddress("192.0.2.1")?.description == "192.0.2.1")
        #expect(IPAddress("::ffff:192.0.2.1") == IPAddress("192.0.2.1"))
        #expect(IPAddress("2001:DB8:0:0::1")?.description == "2001:db8::1")
        #expect(IPAddress([UInt8](repeating: 0, count: 15) + [1])?.description == "::1")
        for text in [
            "", "1.2.3", "1.2.3.4.5", "256.1.1.1", "::g", "1.2.3.4:80", "[::1]", "localhost", "fe80::1%lo", "1.2.3.4\0",
        ] {
            #expect(IPAddress(text) == nil, "\(text)")
        }
        #expect(IPAddress([1, 2, 3]) == nil && IPAddress([UInt8]()) == nil)
    }

    @Test func `loopback is 127.0.0.0/8 and ::1`() throws {
        for text in ["127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1"] {
            #expect(try #require(IPAddress(text)).isLoopback, "\(text)")
        }
        for text in ["126.255.255.255", "128.0.0.0", "0.0.0.0", "::", "::2", "1::1", "192.0.2.1"] {
            #expect(try !#require(IPAddress(text)).isLoopback, "\(text)")
        }
    }

    @Test func `a range contains exactly the addresses with its prefix`() throws {
        let cases: [(range: String, inside: [String], outside: [String])] = [
            (
                "10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3"],
                ["9.255.255.255", "11.0.0.0", "::a00:0"]
            ),
            ("192.0.2.128/25", ["192.0.2.128", "192.0.2.255"], ["192.0.2.127", "192.0.3.128"]),
            ("192.0.2.1", ["192.0.2.1"], ["192.0.2.0", "192.0.2.3"]),
            ("0.0.0.0/0", ["1.2.3.4"], ["::1"]), ("::/0", ["::1", "ff::"], ["1.2.3.4"]),
            ("2001:db8::/33", ["2001:db8:7fff::"], ["2001:db8:8000::", "2001:db9::"]),
        ]
        for (text, inside, outside) in cases {
            let range = try #require(IPRange(text))
            for text in inside { #expect(range.contains(try #require(IPAddress(text))), "\(text)") }
            for text in outside { #expect(!range.contains(try #require(IPAddress(text))), "\(text)") }
        }
        for text in [
            "", "/", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "a/8",
        ] {
            #expect(IPRange(text) == nil, "\(text)")
        }
    }
}
