import EventLoops
import Testing
import Webhooks

@Suite struct DestinationsTests {
    private func permits(_ text: String, allowed: [String] = []) throws -> Bool {
        var destinations = Destinations()
        destinations.allowed = allowed.compactMap { IPRange($0) }
        #expect(destinations.allowed.count == allowed.count)
        return destinations.permits(try #require(IPAddress(text)))
    }

    /// The first and last address of each range, and their neighbours outside it.
    @Test(
        arguments: [
            ("0.0.0.0", "0.255.255.255"), ("10.0.0.0", "10.255.255.255"), ("100.64.0.0", "100.127.255.255"),
            ("127.0.0.0", "127.255.255.255"), ("169.254.0.0", "169.254.255.255"), ("172.16.0.0", "172.31.255.255"),
            ("192.0.0.0", "192.0.0.255"), ("192.168.0.0", "192.168.255.255"), ("198.18.0.0", "198.19.255.255"),
            ("224.0.0.0", "255.255.255.255"), ("::", "1fff:ffff::"), ("4000::", "ffff::"), ("2001::", "2001:1ff::"),
            ("2002::", "2002:ffff::"), ("2001:db8::", "2001:db8:ffff::"), ("::ffff:127.0.0.1", "::ffff:10.0.0.1"),
            ("::127.0.0.1", "::1"), ("64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe"), ("64:ff9b:1::", "64:ff9b:1::808:808"),
            ("fe80::1", "fc00::1"), ("ff02::1", "fec0::1"),
        ]) func `addresses outside the public internet are refused`(_ first: String, _ last: String) throws
    {
        #expect(try !permits(first))
        #expect(try !permits(last))
    }

    @Test(
        arguments: [
            "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
            "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255",
            "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2000::", "2003::1", "2606:4700::1111",
            "2a00:1450::1", "64:ff9b::808:808", "::ffff:8.8.8.8",
        ]) func `addresses in the public internet are accepted`(_ address: String) throws
    { #expect(try permits(address)) }

    @Test func `addresses in an allowed network are accepted, and no others`() throws {
        #expect(try permits("10.1.2.3", allowed: ["10.1.0.0/16", "fd00::/8"]))
        #expect(try permits("fd12::1", allowed: ["10.1.0.0/16", "fd00::/8"]))
        #expect(try permits("::ffff:10.1.2.3", allowed: ["10.1.0.0/16"]))
        #expect(try !permits("10.2.0.1", allowed: ["10.1.0.0/16"]))
        #expect(try !permits("127.0.0.1", allowed: ["10.1.0.0/16"]))
    }
}
