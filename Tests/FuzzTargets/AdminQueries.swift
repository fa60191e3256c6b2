// Compiled together with AdminQuery, with ChatDomain's percent-encoding as a module, by Tests/fuzz.
//
//     the path of a request to the admin listener, with its query

import ChatDomain

private let names: Set = ["after", "limit", "type"]

/// Yields values or an error, never a trap. Parsed queries round-trip, and no error repeats the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAdminQueries(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let path = String(decoding: UnsafeBufferPointer(start: start, count: start == nil ? 0 : count), as: UTF8.self)
    let known = [
        "an escape is not valid UTF-8", "unknown parameter: allowed are after, limit, type",
        "limit must be a number from 1 to 1000", "after must be whole", "after is given more than once",
        "limit is given more than once",
        "type is given more than once",
    ]
    do throws(BadAdminQuery) {
        let query = try AdminQuery(path, names: names)
        var pairs: [String] = []
        for name in names.sorted() {
            guard let value = query[name] else { continue }
            pairs.append("\(PercentEncoding.encode(name))=\(PercentEncoding.encode(value))")
        }
        let again = try AdminQuery("/?" + pairs.joined(separator: "&"), names: names)
        precondition(again == query, "written and read again")
        let limit = try query.number("limit", in: 1...1_000, default: 7)
        precondition((1...1_000).contains(limit), "out of its range")
        if let after = try query.value("after", "whole", { Int($0) }) {
            precondition(Int(query["after"] ?? "") == after, "another number")
        }
    } catch {
        precondition(known.contains(error.description), "an unknown reason")
    }
    return 0
}
