import ChatDomain
import ChatModel
import Testing
import TextRules

@testable import API

/// Lists too long for any command, which are refused before their elements are decoded.
@Suite struct LongListsTests {
    private func list(_ count: Int, _ element: String) -> String {
        "[" + Array(repeating: element, count: count).joined(separator: ",") + "]"
    }

    private func object(_ count: Int, _ value: String) -> String {
        "{" + (0..<count).map { #""k\#($0)":\#(value)"# }.joined(separator: ",") + "}"
    }

    /// Elements of the wrong type prove that nothing was decoded.
    @Test(arguments: [251, 5_000, 100_000])
    func `1031: a list with too many ids is refused without decoding its elements`(count: Int) {
        let table = Desk().table()
        for element in [#""ann""#, "1", "[]", "{}"] {
            let ids = list(count, element)
            for (method, field, body) in [
                ("user.list", "user_ids", #"{"user_ids":\#(ids)}"#),
                ("channel.invite", "user_ids", #"{"channel_id":"a","user_ids":\#(ids)}"#),
                ("channel.list", "user_ids_exact", #"{"user_ids_exact":\#(ids)}"#),
                ("message.send", "mentioned_user_ids", #"{"channel_id":"a","text":"x","mentioned_user_ids":\#(ids)}"#),
            ] {
                let refusal = table.refusal(method, body)
                #expect(refusal?.code == .tooMany, "\(method)")
                #expect(refusal?.detail == "\(field): at most 250")
            }
        }
    }

    @Test func `1031: objects with too many keys, and too long lists inside them, are refused too`() {
        let table = Desk().table()
        let metadata = #"{"id":"a","metadata":\#(object(51, "1"))}"#
        #expect(table.refusal("channel.create", metadata) == Rejection(.tooMany, "metadata: at most 50 keys"))
        let many = #"{"id":"a","metadata":\#(object(50_000, "\"\""))}"#
        #expect(table.refusal("channel.create", many) == Rejection(.tooMany, "metadata: at most 50 keys"))
        let arrays = #"{"channel_id":"a","text":"x","meta_arrays":{"key":\#(list(251, "1"))}}"#
        #expect(table.refusal("message.send", arrays) == Rejection(.tooMany, "meta_arrays.key: at most 250"))
        let files = #"{"channel_id":"a","kind":"files","files":\#(list(251, #"{"nmae":1}"#))}"#
        #expect(table.refusal("message.send", files) == Rejection(.tooMany, "files: at most 250"))
        let channels = #"{"channels":\#(list(251, #"{"nmae":1}"#))}"#
        #expect(
            table.refusal("channel.upsert_many", channels, by: .server) == Rejection(.tooMany, "channels: at most 250"))
    }

    @Test func `107: a request with thousands of fields is refused`() {
        #expect(
            Desk().table().refusal("user.list", object(5_000, "1"))
                == Rejection(.badRequest, "an object has more than 4096 members"))
    }

    @Test func `the largest legal requests are accepted`() {
        let limits = CommandDecoder.limits
        let counts = [
            FieldLimits.idsPerCommand, FieldLimits.usersPerUpsert, FieldLimits.channelsPerUpsert, FieldLimits.mentions,
            FieldLimits.filterValues, FieldLimits.metaArrayValues, FieldLimits.targetLanguages, FieldLimits.pageSize,
            FieldLimits.filesPerMessage, FieldLimits.thumbnailsPerMessage, FieldLimits.metadataKeys,
            FieldLimits.textRulesAtOnce, FieldLimits.textRulesTried, TextRuleLimits.entriesPerRule,
            TextRuleLimits.customTypesPerRule, Permission.allCases.count,
        ]
        for count in counts { #expect(count <= limits.elements) }
        let keys = [FieldLimits.metadataKeys, FieldLimits.metaArrayKeys]
        for count in keys { #expect(count <= limits.members) }
        for component in APIDocuments.shapes.components.values {
            #expect(component.properties.count <= limits.members)
        }
    }
}
