// Compiled together with TrustedProxies, with IPAddress as the module EventLoops and HTTPTypes, by Tests/fuzz.
//
//     values of X-Forwarded-For, a line each

import EventLoops
import HTTPTypes

private let proxies = {
    var proxies = TrustedProxies()
    proxies.ranges = ["10.0.0.0/8", "2001:db8::/33", "::1"].compactMap { IPRange($0) }
    return proxies
}()

/// Yields an address or none, never a trap. The address is outside the proxies, in its shortest form, and independent
/// of what clients wrote before it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzForwardedAddresses(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: start == nil ? 0 : count), as: UTF8.self)
    guard let name = HTTPField.Name("X-Forwarded-For") else { preconditionFailure("no name") }
    var fields = HTTPFields()
    for line in text.split(separator: "\n") { fields.append(HTTPField(name: name, value: String(line))) }
    let client = proxies.client(in: fields)
    if let client {
        guard let address = IPAddress(client) else { preconditionFailure("no address") }
        precondition(address.description == client, "written and read again")
        precondition(!proxies.contains(client), "a proxy's")
        var more = HTTPFields()
        more.append(HTTPField(name: name, value: "192.0.2.99, nonsense"))
        for field in fields { more.append(field) }
        precondition(proxies.client(in: more) == client, "what stands in front is believed")
    }
    if let range = IPRange(text), let first = text.split(separator: "/").first, let address = IPAddress(first) {
        precondition(range.contains(address), "not in its own range")
    }
    return 0
}
