import ChatModel
import FoundationEssentials
import Gateway
import SigningSupport
import Synchronization
import TestSupport
import Testing

@testable import API

/// Tokens that a lax verifier would accept. RFC 7519, RFC 8725.
@Suite struct TokenVerifierTests {
    /// The current time in milliseconds, which is 1,000,000 seconds.
    static let now: Int64 = 1_000_000_000

    private func verify(_ token: String?) async -> Result<Identity, TokenRefusal> {
        await TokenVerifier(secret: Array(secret.utf8), clock: { Self.now }).verify(token)
    }

    private func identity(_ token: String?) async -> Identity? { try? await verify(token).get() }

    private func refusal(_ token: String?) async -> TokenRefusal? {
        guard case .failure(let refusal) = await verify(token) else { return nil }
        return refusal
    }

    @Test func `a valid token identifies its user`() async {
        #expect(await identity(token(#"{"sub":"ann"}"#)) == Identity(user: ann, validFor: nil, issuedAt: 0))
        #expect(
            await identity(token(#"{"sub":"ann","exp":1000001,"extra":[1]}"#))
                == Identity(user: ann, validFor: 1_000, issuedAt: 0))
        #expect(await identity(token(header: #"{"alg":"HS256"}"#, #"{"sub":"jos\u00e9"}"#))?.user == "jos\u{E9}")
        #expect(await identity(token(header: #"{"typ":"anything","alg":"HS256"}"#, #"{"sub":"ann"}"#)) != nil)
    }

    @Test func `a token signed with the secret, or malformed, is verified without leaving the thread`() async {
        let verifier = TokenVerifier(secret: Array(secret.utf8), clock: { Self.now })
        for text in [token(#"{"sub":"ann"}"#), token(#"{"sub":"ann"}"#) + "A", "x.y.z"] {
            let expected = await verify(text)
            let result = Mutex<Result<Identity, TokenRefusal>?>(nil)
            verifier.verify(text) { verdict in result.withLock { $0 = verdict } }
            #expect(result.withLock(\.self) == expected)
        }
    }

    @Test(
        arguments: [
            ("0", 0), ("999", 999), ("999.99", 999), ("-1", 0), ("-1e300", 0), ("1e300", 1_000_000_000_000_000),
            ("18446744073709551616", 1_000_000_000_000_000), ("null", 0), ("0.5", 0),
        ] as [(String, Int64)])
    func `the issue time is reported in whole seconds, regardless of its number format`(
        text: String, second: Int64
    ) async {
        #expect(await identity(token(#"{"sub":"ann","iat":\#(text)}"#))?.issuedAt == second)
    }

    @Test(arguments: ["1e20", "-1e300", "18446744073709551616", "9223372036854775808", "9007199254740993e1"])
    func `a number in the header that does not fit an integer is refused`(number: String) async {
        #expect(await refusal(token(header: #"{"alg":"HS256","x":\#(number)}"#, #"{"sub":"ann"}"#)) == .invalid)
    }

    @Test func `unknown header members are ignored unless they are objects or lists`() async {
        for value in ["1", "-1.5", "9007199254740992", "true", "null", #""x""#] {
            #expect(
                await identity(token(header: #"{"alg":"HS256","x":\#(value)}"#, #"{"sub":"ann"}"#)) != nil, "\(value)")
        }
        for value in ["[]", "{}", #"["x"]"#, #"{"kty":"oct"}"#] {
            #expect(
                await identity(token(header: #"{"alg":"HS256","x":\#(value)}"#, #"{"sub":"ann"}"#)) == nil, "\(value)")
        }
    }

    /// Each case has its own seed, which a failure names.
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `arbitrary JSON and damaged tokens never trap and never identify another user`(
        seed: UInt64
    ) async {
        var random = SeededGenerator(seed: seed)
        let verifier = TokenVerifier(secret: Array(secret.utf8), clock: { Self.now })
        let values = [
            "null", "1", "-1", "1e400", "18446744073709551616", #""x""#, #""HS256""#, "[]", "[[[[]]]]", "{}",
            #"{"a":{}}"#,
            #""\u0000""#, #""\ud800""#, "true", "NaN", "", String(repeating: "[", count: 900), #""HS256","alg":"none""#,
        ]
        let names = [
            "alg", "typ", "kid", "crit", "jku", "jwk", "x5u", "b64", "zip", "cty", "sub", "exp", "nbf", "iat", "",
        ]
        for _ in 0..<250 {
            let members = { (first: String) in
                ([first]
                    + (0..<Int.random(in: 0...3, using: &random)).map { _ in
                        #""\#(random.pick(names))":\#(random.pick(values))"#
                    }).joined(separator: ",")
            }
            let header = "{" + members(#""alg":"HS256""#) + "}"
            let claims = "{" + members(#""sub":"ann""#) + "}"
            let whole = token(header: header, claims)
            if let user = await (try? verifier.verify(whole).get())?.user {
                #expect(user == ann || user == "x" || user == "HS256")
            }
            var damaged = Array(whole.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: damaged.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: damaged[place] = UInt8.random(in: 0...127, using: &random)
                case 1: damaged.remove(at: place)
                default: damaged.insert(contentsOf: damaged.prefix(40), at: place)
                }
            }
            // The last character of a signature has unused bits, which a lax verifier ignores.
            let result = await verifier.verify(String(decoding: damaged, as: UTF8.self))
            if case .success(let identity) = result { #expect(identity.user == ann, "seed \(seed)") }
        }
    }

    @Test func `an issued token is valid`() async throws {
        let verifier = TokenVerifier(secret: Array(secret.utf8), clock: { Self.now })
        let week = try verifier.issue(for: "bob", lifetimeSeconds: 604_800)
        #expect(
            try await verifier.verify(week).get() == Identity(user: "bob", validFor: 604_800_000, issuedAt: 1_000_000))
        let forEver = try verifier.issue(for: "bob", lifetimeSeconds: nil)
        #expect(try await verifier.verify(forEver).get() == Identity(user: "bob", validFor: nil, issuedAt: 1_000_000))
    }

    @Test func `an issued token has a minimal header, and the claims that the rules require`() throws {
        func parts(_ rules: TokenRules, _ user: UserID, _ lifetime: Int64?) throws -> [String] {
            let verifier = TokenVerifier(secret: Array(secret.utf8), rules: rules, clock: { Self.now })
            let token = try verifier.issue(for: user, lifetimeSeconds: lifetime)
            return token.split(separator: ".").map { String(decoding: Base64URL.bytes($0) ?? [], as: UTF8.self) }
        }
        let whole = try parts(TokenRules(issuer: "https://us", audience: #"a "b""#), "bob", 60)
        #expect(whole.first == #"{"alg":"HS256","typ":"JWT"}"#)
        #expect(whole[1] == #"{"sub":"bob","exp":1000060,"iat":1000000,"iss":"https://us","aud":"a \"b\""}"#)
        #expect(try parts(TokenRules(), #"zo\"ë"#, nil)[1] == #"{"sub":"zo\\\"ë","iat":1000000}"#)
    }

    @Test(
        arguments: [
            ("999999", .expired), ("1000000", .expired), ("1000000.001", nil), ("1000001", nil), ("1e6", .expired),
            ("1000000.0", .expired), ("-1", .expired), ("-1e300", .expired), ("0", .expired), ("1e300", nil),
            ("1e308", nil), ("9223372036854775807", nil), ("18446744073709551616", nil), ("1e400", .invalid),
            (#""1000001""#, .invalid), ("true", .invalid), ("[]", .invalid), ("NaN", .invalid), ("01000001", .invalid),
        ] as [(String, TokenRefusal?)])
    func `an expiry must be a number in the future`(exp: String, expected: TokenRefusal?) async {
        #expect(await refusal(token(#"{"sub":"ann","exp":\#(exp)}"#)) == expected)
    }

    @Test func `an expiry in the far future is reported as at most a century away`() async {
        #expect(await identity(token(#"{"sub":"ann","exp":1e308}"#))?.validFor == 3_155_760_000_000)
        #expect(await identity(token(#"{"sub":"ann","exp":1000000.0005}"#))?.validFor == 1)
    }

    @Test(
        arguments: [
            ("999999", nil), ("1000000", nil), ("1000000.001", .invalid), ("1000001", .invalid), ("1e308", .invalid),
            ("-1", nil), ("1e400", .invalid), (#""0""#, .invalid), ("-1e300", nil),
        ] as [(String, TokenRefusal?)])
    func `a token that is not yet valid is refused`(nbf: String, expected: TokenRefusal?) async {
        #expect(await refusal(token(#"{"sub":"ann","nbf":\#(nbf)}"#)) == expected)
    }

    @Test(arguments: [
        #"{"alg":"none"}"#, #"{"alg":"None"}"#, #"{"alg":"nOnE"}"#, #"{"alg":"NONE"}"#, #"{"alg":""}"#, "{}",
        #"{"alg":"HS384"}"#, #"{"alg":"HS512"}"#, #"{"alg":"RS256"}"#, #"{"alg":"ES256"}"#, #"{"alg":"hs256"}"#,
        #"{"alg":"HS256 "}"#, #"{"alg":null}"#, #"{"alg":["HS256"]}"#, #"{"alg":1}"#, #"{"ALG":"HS256"}"#,
        #"{"alg":"HS256","crit":["exp"]}"#, #"{"alg":"HS256","crit":[]}"#, #"{"alg":"HS256","crit":null}"#,
        #"{"alg":"HS256","crit":["b64"],"b64":false}"#, "[]", "null", "", "{", #""HS256""#,
    ])
    func `only HS256 is accepted, and no critical header parameters`(header: String) async {
        #expect(await refusal(token(header: header, #"{"sub":"ann"}"#)) == .invalid)
        let unsigned = base64URL(header.utf8) + "." + base64URL(#"{"sub":"ann"}"#.utf8) + "."
        #expect(await refusal(unsigned) == .invalid)
    }

    @Test func `a signature with another hash or key is refused`() async {
        let payload = #"{"sub":"ann"}"#
        let signed384 = token(header: #"{"alg":"HS384"}"#, payload) { hmac($0, key: $1, hash: "SHA384") }
        #expect(await refusal(signed384) == .invalid)
        let disguised = token(payload) { hmac($0, key: $1, hash: "SHA384") }
        #expect(await refusal(disguised) == .invalid)
        #expect(await refusal(token(payload, key: "1123456789abcdef0123456789abcdef")) == .invalid)
        #expect(await refusal(token(payload, key: "")) == .invalid)
        for signature in [[], [0], Array(repeating: UInt8(0), count: 32)] as [[UInt8]] {
            #expect(await refusal(token(payload) { _, _ in signature }) == .invalid)
        }
        let cut = token(payload) { Array(hmac($0, key: $1).prefix(31)) }
        #expect(await refusal(cut) == .invalid)
        let longer = token(payload) { hmac($0, key: $1) + [0] }
        #expect(await refusal(longer) == .invalid)
    }

    /// Regardless of keys named in the header, none is looked up.
    @Test(arguments: [
        #""kid":"../../dev/null""#, #""kid":"x' OR '1'='1""#, #""kid":"""#, #""jku":"https://evil/keys""#,
        #""x5u":"https://evil/keys""#, #""jwk":{"kty":"oct","k":"MTIz"}"#,
    ])
    func `a key named in the header is never used`(field: String) async {
        let header = #"{"alg":"HS256",\#(field)}"#
        #expect(await refusal(token(header: header, #"{"sub":"ann"}"#, key: "123")) == .invalid)
        #expect(await refusal(token(header: header, #"{"sub":"ann"}"#, key: "")) == .invalid)
    }

    @Test(arguments: [
        "{}", #"{"sub":""}"#, #"{"sub":null}"#, #"{"sub":1}"#, #"{"sub":["ann"]}"#, #"{"sub":"a\u0000b"}"#,
        #"{"sub":"a\nb"}"#, #"{"sub":"\ud800"}"#, #"{"SUB":"ann"}"#, "[]", "null", "", "{",
        #"{"sub":"\#(String(repeating: "a", count: 81))"}"#, #"{"sub":"ann","sub":"bob"}"#,
    ])
    func `a token without a usable subject is refused`(payload: String) async {
        #expect(await refusal(token(payload)) == .invalid)
    }

    @Test func `a token must be three parts of base64url, without padding or surrounding text`() async {
        let good = token(#"{"sub":"ann"}"#)
        #expect(await refusal(nil) == .missing)
        #expect(await refusal("") == .missing)
        let parts = good.split(separator: ".").map(String.init)
        let (header, payload, signature) = (parts[0], parts[1], parts[2])
        let broken: [String] = [
            "\(good).", ".\(good)", "\(good).x", "\(header).\(payload)", header, "..", "...", ".", "a.b.c", "\(good)=",
            "\(header)=.\(payload).\(signature)", "\(header).\(payload)=.\(signature)", " \(good)", "\(good) ",
            "\(good)\n", "\(good)\u{0}", "Bearer \(good)", "\(good)é", "\(good)+", "\(good)/",
            "\(header)\u{FF0E}\(payload)\u{FF0E}\(signature)", "\(header).\(payload).\(signature.dropLast())",
        ]
        for text in broken { #expect(await refusal(text) == .invalid, "\(text)") }
        // The last character of a part may have unused bits, so it is not changed here.
        for index in good.indices.dropLast() where good[index] != "." && good[good.index(after: index)] != "." {
            var other = good
            other.replaceSubrange(index...index, with: good[index] == "A" ? "B" : "A")
            #expect(await refusal(other) == .invalid)
        }
    }

    @Test(arguments: 0..<8)
    func `a signature has one encoding: other unused bits are refused`(number: Int) async {
        let good = token(#"{"sub":"ann","n":\#(number)}"#)
        #expect(await refusal(good) == nil)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let place = alphabet.firstIndex(of: good.last ?? "A") ?? 0
        // 32 bytes leave two bits of the last character unused.
        for bits in 1...3 {
            let other = String(good.dropLast()) + String(alphabet[place & ~3 | bits])
            #expect(await refusal(other) == .invalid, "\(other.suffix(4))")
        }
    }

    @Test func `each byte sequence has exactly one base64url encoding`() {
        #expect(Base64URL.bytes("") == [] && Base64URL.bytes("AA") == [0] && Base64URL.bytes("AAE") == [0, 1])
        for text in ["A", "AB", "AP", "AAB", "AAAAA", "_-_", "A=", "AA=="] {
            #expect(Base64URL.bytes(text) == nil, "\(text)")
        }
        #expect(Base64URL.bytes("_w") == [255] && Base64URL.bytes("__8") == [255, 255])
        for bytes in [[], [0], [0, 1], [255], [255, 255], [251, 239, 190], [251, 255]] as [[UInt8]] {
            #expect(Base64URL.bytes(Base64URL.text(bytes)) == bytes && !Base64URL.text(bytes).contains("="))
        }
    }

    @Test func `a huge token costs only a size check`() async {
        let name = String(repeating: "n", count: 80)
        func padded(_ count: Int) -> String {
            token(#"{"sub":"\#(name)","pad":"\#(String(repeating: "p", count: count))"}"#)
        }
        var count = 2_900
        while padded(count + 1).utf8.count <= TokenVerifier.tokenBytes { count += 1 }
        #expect(await refusal(padded(count)) == nil)
        #expect(await refusal(padded(count + 3)) == .invalid)
        #expect(await refusal(String(repeating: "a", count: 10_000_000)) == .invalid)
        #expect(await refusal(String(repeating: ".", count: 4_096)) == .invalid)
    }
}
