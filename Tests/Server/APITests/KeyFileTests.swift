import API
import ChatModel
import Cryptography
import Testing

private let one = "one key of sixteen bytes or more", other = "another key of sixteen bytes"
private let now: Int64 = 1_800_000_000_000

@Suite struct KeyFileTests {
    private func keys(_ text: String) throws(KeyFile.Invalid) -> [NamedKey] { try KeyFile.keys(Array(text.utf8)) }

    private func refusal(_ text: String) -> String? {
        do {
            _ = try keys(text)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func `a file lists keys as text or digest, each with its scopes and expiry`() throws {
        let digest = SHA256.hash(Array(other.utf8)).map { byte in
            byte < 16 ? "0" + String(byte, radix: 16) : String(byte, radix: 16)
        }.joined()
        let ring = KeyRing(
            try keys(
                """
                [{"id": "backend", "key": "\(one)", "scopes": ["read", "write"]},
                 {"id": "ops-2", "sha256": "\(digest)", "scopes": ["admin"], "expires_at": \(now)}]
                """))
        #expect(try ring.key(one, now: now).scopes == [.read, .write])
        #expect(try ring.key(other, now: now - 1).id == "ops-2")
        #expect(try ring.key(other, now: now - 1).scopes == [.admin])
        for late in [now, now + 1, .max] {
            #expect(throws: Rejection(.unauthorized, "X-API-Key has expired")) { try ring.key(other, now: late) }
        }
        for text in ["", digest, one + " ", String(one.dropLast()), one.uppercased()] {
            #expect(throws: Rejection(.unauthorized, "unknown X-API-Key")) { try ring.key(text, now: 0) }
        }
        ring.replace([])
        #expect(throws: Rejection(.unauthorized, "unknown X-API-Key")) { try ring.key(one, now: 0) }
        #expect(try keys(" [ ] ").isEmpty)
    }

    @Test(arguments: [
        "", "{}", "[", "[1]", "[] []", "[{}", #"[{"id":"a"}] x"#, "[null]",
    ])
    func `a key file must be an array of objects`(text: String) {
        #expect(refusal(text) != nil)
    }

    @Test(arguments: [
        (#""id":"a","scopes":["read"]"#, "one of key and sha256"),
        (#""id":"a","key":"K","sha256":"K","scopes":["read"]"#, "one of key and sha256"),
        (#""id":"a","key":"fifteen bytes..","scopes":["read"]"#, "at least 16 bytes"),
        (#""id":"a","key":16,"scopes":["read"]"#, "at least 16 bytes"),
        (#""id":"a","sha256":"abc","scopes":["read"]"#, "64 hexadecimal"),
        (#""id":"a","sha256":"\#(String(repeating: "0", count: 66))","scopes":["read"]"#, "64 hexadecimal"),
        (#""id":"a","sha256":"\#(String(repeating: "g", count: 64))","scopes":["read"]"#, "64 hexadecimal"),
        (#""key":"K","scopes":["read"]"#, "id must match"), (#""id":"","key":"K","scopes":["read"]"#, "id must match"),
        (#""id":"a b","key":"K","scopes":["read"]"#, "id must match"),
        (#""id":"\#(String(repeating: "a", count: 65))","key":"K","scopes":["read"]"#, "id must match"),
        (#""id":"a","key":"K""#, "scopes"), (#""id":"a","key":"K","scopes":[]"#, "scopes"),
        (#""id":"a","key":"K","scopes":"read""#, "scopes"), (#""id":"a","key":"K","scopes":["all"]"#, "scopes"),
        (#""id":"a","key":"K","scopes":["read","read"]"#, "scopes"), (#""id":"a","key":"K","scopes":[1]"#, "scopes"),
        (#""id":"a","key":"K","scopes":["read"],"expires_at":"soon""#, "milliseconds"),
        (#""id":"a","key":"K","scopes":["read"],"expires_at":1800000000"#, "milliseconds"),
        (#""id":"a","key":"K","scopes":["read"],"expires_at":-1"#, "milliseconds"),
        (#""id":"a","key":"K","scopes":["read"],"expires_at":18446744073709551615"#, "milliseconds"),
        (#""id":"a","key":"K","scopes":["read"],"expires":1"#, "an unknown member"),
        (#""id":"a","id":"b","key":"K","scopes":["read"]"#, "not a JSON object"),
    ])
    func `an error in a key names its position, never the key`(members: String, words: String) {
        let good = #"{"id":"good","key":"\#(other)","scopes":["read"]}"#
        let text = "[\(good),{\(members.replacing("K", with: one))}]"
        let refusal = refusal(text)
        #expect(refusal?.hasPrefix("key 2: ") == true && refusal?.contains(words) == true, "\(refusal ?? "none")")
        #expect(refusal?.contains(one) == false)
    }

    @Test func `ids and keys are unique, and there are at most 100`() {
        func key(_ id: String, _ key: String) -> String { #"{"id":"\#(id)","key":"\#(key)","scopes":["read"]}"# }
        #expect(refusal("[\(key("a", one)),\(key("a", other))]") == "key 2: another key has the same id")
        #expect(refusal("[\(key("a", one)),\(key("b", one))]") == "key 2: another entry has the same key")
        let wider = key("b", one).replacing("read", with: "write")
        #expect(refusal("[\(key("a", one)),\(wider)]") == "key 2: another entry has the same key", "whatever it may do")
        let many = (1...101).map { key("k\($0)", "\($0) of many keys, all different") }
        #expect(refusal("[\(many.dropLast().joined(separator: ","))]") == nil)
        #expect(refusal("[\(many.joined(separator: ","))]") == "it contains more than 100 keys")
    }
}

@Suite struct KeyScopeTests {
    @Test func `each command requires the right scope`() {
        let rows = CommandTable.declarations
        let admin = rows.filter { $0.scope == .admin }.map(\.method).sorted()
        #expect(
            admin == [
                "channel.export", "emoji.create", "emoji.delete", "hook.get", "hook.set", "import.add", "import.begin",
                "import.finish",
                "import.status", "role.list", "role.set", "settings.get", "settings.update", "text_rule.delete",
                "text_rule.list", "text_rule.set", "text_rule.test", "token.create", "user.activate", "user.deactivate",
                "user.delete", "user.disconnect", "user.export", "user.revoke_tokens", "webhook.dead_letters",
                "webhook.delete", "webhook.list", "webhook.replay", "webhook.set",
            ])
        // Users can export their own data, with their tokens.
        let alsoOfUsers = rows.filter { $0.scope == .admin && $0.callers != .server }.map(\.method)
        #expect(alsoOfUsers == ["user.export"])
        let questions = ["get", "list", "search", "counts", "receipts", "replies", "moderation_log"]
        for row in rows where row.scope != .admin {
            let verb = String(row.method.split(separator: ".")[1])
            let isQuestion = questions.contains(verb) || verb.hasPrefix("list_")
            #expect(row.scope == (isQuestion ? .read : .write), "\(row.method)")
        }
    }

    @Test func `each route requires its scope, and answers 1019 without it`() {
        #expect(HTTPRoute.command("message.send").scope == .write)
        #expect(HTTPRoute.command("settings.get").scope == .admin)
        #expect(HTTPRoute.command("message.sing").scope == nil)
        #expect(HTTPRoute.upload.scope == .write)
        #expect(HTTPRoute.metrics.scope == nil)
        for scope in KeyScope.allCases {
            #expect(throws: Never.self) { try Set([scope]).check(scope) }
            #expect(throws: Never.self) { try Set<KeyScope>().check(nil) }
            #expect(throws: Rejection(.keyScope, "the key lacks the scope \(scope.rawValue)")) {
                try Set<KeyScope>.all.subtracting([scope]).check(scope)
            }
        }
    }
}
