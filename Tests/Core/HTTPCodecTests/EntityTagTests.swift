import HTTPCodec
import HTTPTypes
import Testing

@Suite struct EntityTagTests {
    private let tag = EntityTag(strong: "abc")

    private func outcome(
        ifMatch: [String] = [], ifNoneMatch: [String] = []
    ) -> EntityTag.Outcome {
        var fields = HTTPFields()
        fields[values: .ifMatch] = ifMatch
        fields[values: .ifNoneMatch] = ifNoneMatch
        return tag.outcome(for: fields)
    }

    /// RFC 9110 §13.1.2: weak comparison.
    @Test(arguments: [
        [#""abc""#], [#"W/"abc""#], ["*"], [" * "], [#""x", "abc""#], [#""x","abc","y""#], [#", ,"abc" ,"#],
        [#""x""#, #""abc""#], [#""a,b", "abc""#], [#""","abc""#], ["\"x\"\t,\t\"abc\""],
    ])
    func `a matching If-None-Match yields 304 without content`(values: [String]) {
        #expect(outcome(ifNoneMatch: values) == .notModified)
    }

    @Test(arguments: [
        [], [""], [","], [#""x""#], [#""ABC""#], ["abc"], [#""abc"#], [#"abc""#], [#"w/"abc""#], [#"W/ "abc""#],
        [#""abc" "x""#], [#""abc"x"#], [#""abc";"#], [#"*, "abc""#], [#""abc", *"#], ["**"], [#""x,abc""#],
        [#"""abc"""#], ["W/"], ["\"abc\u{7F}\""], ["\"a bc\""],
    ])
    func `If-None-Match with another tag or an invalid list does not yield 304`(values: [String]) {
        #expect(outcome(ifNoneMatch: values) == .send)
    }

    /// RFC 9110 §13.1.1: strong comparison.
    @Test(
        arguments: [
            ([#""abc""#], .send), (["*"], .send), ([#""x", "abc""#], .send), ([#""x""#], .preconditionFailed),
            ([#"W/"abc""#], .preconditionFailed), (["abc"], .send),
        ] as [([String], EntityTag.Outcome)])
    func `If-Match with only other tags fails`(values: [String], expected: EntityTag.Outcome) {
        #expect(outcome(ifMatch: values) == expected)
    }

    /// RFC 9110 §13.2.2.
    @Test func `If-Match is evaluated before If-None-Match`() {
        #expect(outcome(ifMatch: [#""x""#], ifNoneMatch: [#""abc""#]) == .preconditionFailed)
        #expect(outcome(ifMatch: [#""abc""#], ifNoneMatch: [#""abc""#]) == .notModified)
    }

    @Test func `an entity tag round-trips through its text form`() {
        #expect(tag.text == #""abc""#)
        for text in [#""abc""#, #"W/"a,b""#, #""""#, #""ü""#] {
            guard case .tags(let tags) = EntityTag.List([text]) else {
                Issue.record("\(text)")
                continue
            }
            #expect(tags.map(\.text) == [text])
        }
    }
}
