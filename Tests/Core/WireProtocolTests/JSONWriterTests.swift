import Foundation
import TestSupport
import Testing
import WireProtocol

@Suite struct JSONWriterTests {
    @Test func `a finished object has no unused capacity, and the next one begins anew`() {
        var writer = JSONWriter(capacity: 4_096)
        for text in ["a", String(repeating: "b", count: 100_000), "c"] {
            writer.object { $0.field("text", text) }
            let bytes = writer.finish()
            #expect(bytes == Array(#"{"text":"\#(text)"}"#.utf8))
            #expect(bytes.capacity < bytes.count + 64)
            #expect(writer.bytes.isEmpty)
        }
    }

    @Test func `commas are written only between fields`() {
        var writer = JSONWriter()
        writer.object {
            $0.field("id", UInt64.max)
            $0.object("empty") { _ in }
            $0.object("one") { $0.field("yes", true) }
            $0.array("none", [])
            $0.array("two", [Array("{}".utf8), Array("1".utf8)])
            $0.raw("raw", Array("[null]".utf8))
            $0.field("no", false)
        }
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"id":18446744073709551615,"empty":{},"one":{"yes":true},"none":[],"two":[{},1],"raw":[null],"no":false}"#
        )
    }

    @Test(arguments: [
        ("", #""""#), ("a\"b\\c/", #""a\"b\\c/""#), ("\n\r\t", #""\n\r\t""#),
        ("\u{0}\u{1}\u{1F}", #""\u0000\u0001\u001f""#),
        ("\u{8}\u{C}", #""\u0008\u000c""#), ("\u{7F}é€😀", "\"\u{7F}é€😀\""),
    ])
    func `control characters, quotes and backslashes are escaped, and nothing else is`(text: String, json: String) {
        var writer = JSONWriter()
        writer.object { $0.field("v", text) }
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "{\"v\":\(json)}")
    }

    @Test(arguments: [3, 33] as [UInt64])
    func `any text round-trips through this reader and Foundation's`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let text = random.text(upTo: 12)
            let key = random.text(upTo: 6)
            var writer = JSONWriter()
            writer.object { $0.field(key, text) }
            let ours = try JSONFields(writer.bytes).string(key)
            let theirs = try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String: String]
            #expect(ours.map { Array($0.utf8) } == Array(text.utf8), "seed \(seed)")
            #expect(theirs?.values.first.map { Array($0.utf8) } == Array(text.utf8), "seed \(seed)")
        }
    }
}
