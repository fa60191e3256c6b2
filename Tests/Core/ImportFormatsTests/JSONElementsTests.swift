import ImportFormats
import Testing

@Suite struct JSONElementsTests {
    private func split(_ text: String, cut: Int = .max, limit: Int = 100) throws(JSONElements.Failure) -> [String] {
        var elements = JSONElements(lists: ["messages", "users"], limit: limit)
        var found: [String] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            try elements.read(rest.prefix(cut)) { found.append(String(decoding: $0, as: UTF8.self)) }
            rest = rest.dropFirst(cut)
        }
        try elements.end()
        return found
    }

    @Test(
        arguments: [
            (#"{"a":1}"# + "\n" + #"{"b":[2]}"#, [#"{"a":1}"#, #"{"b":[2]}"#]),
            (#" [ {"a":{"c":[]}} , {} ] "#, [#"{"a":{"c":[]}}"#, "{}"]), ("[]", []), ("", []),
            (#"{"a":"}]\"{"}"#, [#"{"a":"}]\"{"}"#]),
            (
                #"{ "messages" : [{"a":1},{"b":2}], "next":{"x":"]"}, "users":[{"c":3}], "more":[1] } {"d":4}"#,
                [#"{"a":1}"#, #"{"b":2}"#, #"{"c":3}"#, #"{"d":4}"#]
            ),
            (#"{"channel":{},"messages":[{"a":1}]}"#, [#"{"channel":{},"messages":[{"a":1}]}"#]),
            (#"[{"messages":[{"a":1}]}]"#, [#"{"messages":[{"a":1}]}"#]),
        ] as [(String, [String])])
    func `PR3: a file is split into its objects wherever it is cut`(text: String, objects: [String]) throws {
        for cut in 1...max(1, text.utf8.count) { #expect(try split(text, cut: cut) == objects, "cut after \(cut)") }
    }

    @Test(
        arguments: [
            ("x", .unexpectedByte), (#"{"a":1"#, .unfinished), ("[{}", .unfinished), ("[1]", .unexpectedByte),
            ("{} ,", .unexpectedByte), (#"{"users":[{}"#, .unfinished),
            (#"{"a":"0123456789"}"#, .tooLong(limit: 9)),
        ] as [(String, JSONElements.Failure)])
    func `PR3: what is no file of objects is refused, and a large object without holding it`(
        text: String, failure: JSONElements.Failure
    ) {
        #expect(throws: failure) { try split(text, cut: 1, limit: 9) }
    }
}
