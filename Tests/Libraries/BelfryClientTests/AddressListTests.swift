import Testing

@testable import BelfryClient

struct AddressListTests {
    @Test func `up to 64 addresses keep their order`() throws {
        let urls = (1...64).map { "ws://node-\($0):8080/connection/websocket" }
        #expect(try AddressList(urls: urls).addresses.map(\.url) == urls)
        #expect(try AddressList(urls: [urls[0]]).addresses.map(\.host) == ["node-1"])
    }

    @Test(
        arguments: [
            ([], "expected 1 to 64 addresses, not 0"),
            ((1...65).map { "ws://node-\($0)/" }, "expected 1 to 64 addresses, not 65"),
            (["ws://a/", "ws://b/", "ws://A:80"], "ws://A:80 is listed twice"),
            (["wss://a/", "ws://b/"], "ws and wss addresses cannot be mixed"),
            (["ws://a/", "http://b/"], "the scheme is neither ws nor wss"),
        ] as [([String], String)])
    func `an invalid list is refused with the reason`(urls: [String], reason: String) {
        #expect(throws: BelfryError.badURL(reason)) { try AddressList(urls: urls) }
        #expect(throws: BelfryError.badURL(reason)) { try BelfryClient(.init(urls: urls) { "t" }) }
    }

    @Test func `addresses that differ in port or path are different`() throws {
        let list = try AddressList(urls: ["wss://a/", "wss://a:444/", "wss://a/x", "wss://a/x?y=1"])
        #expect(list.isSecure && list.addresses.count == 4)
    }

    @Test func `a configuration with one URL is one with a list of one`() {
        var configuration = BelfryClient.Configuration(url: "ws://a/") { "t" }
        #expect(configuration.urls == ["ws://a/"] && configuration.url == "ws://a/")
        configuration.urls = ["ws://b/", "ws://c/"]
        #expect(configuration.url == "ws://b/")
        configuration.url = "ws://d/"
        #expect(configuration.urls == ["ws://d/"])
    }

    @Test func `clients try their addresses in different orders`() throws {
        let urls = (1...4).map { "ws://node-\($0)/" }
        var firsts: Set<String> = []
        var seconds: Set<String> = []
        let addresses = try AddressList(urls: urls).addresses
        // Until it is so: each of 24 orders is equally likely.
        while firsts.count < 4 || seconds.count < 3 {
            let order = BelfryClient.freshOrder(of: addresses).map(\.url)
            #expect(order.sorted() == urls)
            firsts.insert(order[0])
            if order[0] == urls[0] { seconds.insert(order[1]) }
        }
    }
}
