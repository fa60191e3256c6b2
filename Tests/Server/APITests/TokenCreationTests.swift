import API
import ChatModel
import FoundationEssentials
import Gateway
import Testing
import WireProtocol

/// `token.create`: the server creates the token with which a user connects (`US2`).
@Suite struct TokenCreationTests {
    private static let now: Int64 = 1_780_000_000_999

    private func verifier() -> TokenVerifier {
        TokenVerifier(secret: Array(secret.utf8), clock: { Self.now })
    }

    private func create(_ body: String, _ desk: Desk, _ table: CommandTable) throws -> CreateToken.Response {
        #expect(table.refusal("token.create", body, by: .server) == nil)
        return try JSONDecoder().decode(CreateToken.Response.self, from: Data(desk.next().utf8))
    }

    @Test(arguments: [("", 3_600), (#","seconds":1"#, 1), (#","seconds":3153600000"#, 3_153_600_000)])
    func `US1: a token is valid for its user until the reported expiry`(field: String, seconds: Int64) async throws {
        let (desk, tokens) = (Desk(), verifier())
        let table = desk.table(tokens: tokens)
        #expect(table.refusal("user.upsert", #"{"id":"zoë"}"#, by: .server) == nil)
        _ = desk.next()
        let created = try create(#"{"user_id":"zoë"\#(field)}"#, desk, table)
        #expect(created.expiresAt == 1_780_000_000_000 + seconds * 1_000)
        let identity = try await tokens.verify(created.token).get()
        #expect(identity.user == "zoë")
        #expect(identity.validFor == created.expiresAt - Self.now)
        let other = TokenVerifier(secret: Array(String(secret.reversed()).utf8), clock: { Self.now })
        #expect(await other.verify(created.token) == .failure(.invalid), "signed with the server's own key")
        let later = TokenVerifier(secret: Array(secret.utf8), clock: { created.expiresAt })
        #expect(await later.verify(created.token) == .failure(.expired))
    }

    @Test func `US2: an unknown or deactivated user gets no token`() {
        let desk = Desk()
        let table = desk.table(tokens: verifier())
        #expect(table.refusal("token.create", #"{"user_id":"bob"}"#, by: .server) == nil)
        #expect(desk.next() == "1000")
        for (method, body) in [("user.upsert", #"{"id":"bob"}"#), ("user.deactivate", #"{"user_id":"bob"}"#)] {
            #expect(table.refusal(method, body, by: .server) == nil)
            _ = desk.next()
        }
        #expect(table.refusal("token.create", #"{"user_id":"bob"}"#, by: .server) == nil)
        #expect(desk.next() == "1008")
    }

    @Test func `1018: a server without a signing key issues no tokens`() {
        let refusal = Desk().table().refusal("token.create", #"{"user_id":"bob"}"#, by: .server)
        #expect(refusal == Rejection(.featureDisabled, "token.create needs a token secret (BELFRY_TOKEN_SECRET)"))
    }

    @Test(arguments: ["0", "-1", "3153600001", "9223372036854775807"])
    func `1032: a token's lifetime must be one second to a hundred years`(seconds: String) {
        let table = Desk().table(tokens: verifier())
        let rejection = table.refusal("token.create", #"{"user_id":"bob","seconds":\#(seconds)}"#, by: .server)
        #expect(rejection == Rejection(.invalidValue, "seconds: must be 1 to 3153600000"))
    }
}
