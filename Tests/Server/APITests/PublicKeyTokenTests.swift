import API
import ChatModel
import FoundationEssentials
import Gateway
import Synchronization
import TestSupport
import Testing

/// Tokens signed with private keys, and known attacks on their verifiers. RFC 8725 §2.
@Suite struct PublicKeyTokenTests {
    private let keys = KeyPairs.shared
    static let algorithms = ["RS256", "ES256", "EdDSA"]

    @Test(arguments: algorithms)
    func `a token is verified with the public key, from a JWK set or PEM`(algorithm: String) async throws {
        for set in [keySet(try keys.jwk(algorithm)), Array(try keys.pem(algorithm).utf8)] {
            let verifier = try verifier(set)
            let claims = #"{"sub":"ann","exp":1000001}"#
            let good = try keys.token(algorithm, claims: claims)
            #expect(try await verifier.verify(good).get() == Identity(user: ann, validFor: 1_000, issuedAt: 0))
            let past = try keys.token(algorithm, claims: #"{"sub":"ann","exp":999999}"#)
            #expect(await verifier.refusal(past) == .expired)
            let future = try keys.token(algorithm, claims: #"{"sub":"ann","nbf":1000001}"#)
            #expect(await verifier.refusal(future) == .invalid)
            let other = try KeyPairs().token(algorithm)
            #expect(await verifier.refusal(other) == .invalid, "another key's")
            let parts = good.split(separator: ".")
            let changed = "\(parts[0]).\(base64URL(#"{"sub":"bob","exp":1000001}"#.utf8)).\(parts[2])"
            #expect(await verifier.refusal(changed) == .invalid)
            #expect(await verifier.refusal("\(parts[0]).\(parts[1]).") == .invalid)
        }
    }

    @Test(arguments: algorithms)
    func `a public key is not used as a secret: HS256 with any encoding of it is refused`(
        algorithm: String
    ) async throws {
        let point = try keys.jwk(algorithm)
        for hasSecret in [false, true] {
            let verifier = try verifier(keySet(point), secret: hasSecret ? secret : nil)
            let pem = try keys.pem(algorithm)
            for key in [pem, pem + "\n", String(pem.dropLast()), point, ""] {
                #expect(await verifier.refusal(token(#"{"sub":"ann"}"#, key: key)) == .invalid)
            }
            #expect(await verifier.refusal(token(#"{"sub":"ann"}"#)) == (hasSecret ? nil : .invalid))
        }
    }

    @Test func `the key determines the algorithm, whatever the token claims`() async throws {
        let all = keySet(try keys.jwk("RS256"), try keys.jwk("ES256"), try keys.jwk("EdDSA"))
        let verifier = try verifier(all, secret: secret)
        for algorithm in Self.algorithms {
            #expect(try await verifier.refusal(keys.token(algorithm)) == nil)
            let others =
                Self.algorithms + [
                    "HS256", "none", "None", "nOnE", "", "RS384", "RS512", "PS256", "ES384", "Ed25519", "ES256K",
                    "rs256",
                ]
            for other in others where other != algorithm {
                #expect(try await verifier.refusal(keys.token(algorithm, says: other)) == .invalid, "\(other)")
            }
        }
        #expect(try await verifier.refusal(keys.token("PS256", says: "RS256")) == .invalid)
        #expect(try await verifier.refusal(keys.token("RS512", says: "RS256")) == .invalid)
        // RFC 7518 §3.4: r followed by s.
        #expect(try await verifier.refusal(keys.token("ES256 as DER", says: "ES256")) == .invalid)
        for zeroes in [0, 1, 63, 64, 65, 256] {
            for algorithm in Self.algorithms + ["none"] {
                let signed =
                    base64URL(#"{"alg":"\#(algorithm)"}"#.utf8) + "." + base64URL(#"{"sub":"ann"}"#.utf8) + "."
                #expect(
                    await verifier.refusal(signed + base64URL([UInt8](repeating: 0, count: zeroes))) == .invalid)
            }
        }
    }

    @Test func `a key carried in a token is never used`() async throws {
        let attacker = KeyPairs()
        let verifier = try verifier(keySet(try keys.jwk("ES256", #""kid":"a""#)))
        let heads = [
            #""jwk":\#(try attacker.jwk("ES256"))"#, #""x5c":["MIIB"]"#, #""jku":"https://evil.example/keys""#,
            #""x5u":"https://evil.example/keys""#, #""kid":"../../../dev/null""#, #""kid":"""#, #""kid":"a""#,
            #""kid":"a","jwk":\#(try attacker.jwk("ES256", #""kid":"a""#))"#, #""crit":["exp"]"#, #""crit":[]"#,
        ]
        for head in heads { #expect(try await verifier.refusal(attacker.token("ES256", head: head)) == .invalid) }
        // Unknown members are ignored, except objects, lists and critical ones.
        for (head, refusal) in [
            (#""jku":"https://evil.example/keys","kid":"a""#, nil), (#""kid":"a","jwk":{}"#, .invalid),
            (#""kid":"a","crit":[]"#, .invalid), (#""kid":["a"]"#, .invalid), (#""kid":1"#, .invalid),
            (#""kid":"A""#, .invalid), (#""kid":"a","kid":"a""#, .invalid),
        ] as [(String, TokenRefusal?)] {
            #expect(try await verifier.refusal(keys.token("ES256", head: head)) == refusal, "\(head)")
        }
    }

    @Test func `a token without a key id is verified with the only key for its algorithm`() async throws {
        let second = KeyPairs()
        let two = keySet(
            try keys.jwk("ES256", #""kid":"a""#), try second.jwk("ES256", #""kid":"b""#), try keys.jwk("EdDSA"))
        let verifier = try verifier(two)
        for (token, refusal) in [
            (try keys.token("ES256"), .invalid), (try keys.token("ES256", head: #""kid":"a""#), nil),
            (try second.token("ES256", head: #""kid":"b""#), nil),
            (try second.token("ES256", head: #""kid":"a""#), .invalid),
            (try keys.token("ES256", head: #""kid":"c""#), .invalid), (try keys.token("EdDSA"), nil),
            (try keys.token("EdDSA", head: #""kid":"whatever""#), nil),
            (try keys.token("EdDSA", head: #""kid":"a""#), nil), (try keys.token("RS256"), .invalid),
        ] as [(String, TokenRefusal?)] {
            #expect(await verifier.refusal(token) == refusal)
        }
    }

    @Test func `no token can be signed without a secret`() throws {
        let table = Desk().table(tokens: try verifier(keySet(try keys.jwk("ES256"))))
        #expect(table.refusal("token.create", #"{"user_id":"bob"}"#, by: .server)?.code == .featureDisabled)
    }

    // MARK: Claims

    @Test(
        arguments: [
            (#""iss":"us","aud":"chat""#, nil), (#""iss":"us","aud":["other","chat"]"#, nil),
            (#""iss":"us","aud":[]"#, .invalid), (#""iss":"us","aud":["other"]"#, .invalid),
            (#""iss":"us","aud":"chat2""#, .invalid), (#""iss":"us","aud":"Chat""#, .invalid),
            (#""iss":"us","aud":"""#, .invalid), (#""iss":"us","aud":null"#, .invalid),
            (#""iss":"us","aud":["chat",1]"#, .invalid), (#""iss":"us","aud":{"chat":"chat"}"#, .invalid),
            (#""iss":"us""#, .invalid), (#""aud":"chat""#, .invalid), (#""iss":"us/","aud":"chat""#, .invalid),
            (#""iss":["us"],"aud":"chat""#, .invalid), (#""iss":"them","iss":"us","aud":"chat""#, .invalid),
        ] as [(String, TokenRefusal?)])
    func `issuer and audience are checked if configured`(
        claims: String, refusal: TokenRefusal?
    ) async throws {
        let payload = #"{"sub":"ann",\#(claims)}"#
        let rules = TokenRules(issuer: "us", audience: "chat")
        let strict = try verifier(keySet(try keys.jwk("ES256")), secret: secret, rules: rules)
        #expect(try await strict.refusal(keys.token("ES256", claims: payload)) == refusal)
        #expect(await strict.refusal(token(payload)) == refusal, "also of the secret's tokens")
    }

    @Test func `a server accepts the tokens it signs`() async throws {
        let rules = TokenRules(issuer: "us", audience: "chat")
        let strict = try verifier(keySet(try keys.jwk("ES256")), secret: secret, rules: rules)
        let made = try strict.issue(for: ann, lifetimeSeconds: 60)
        #expect(await strict.refusal(made) == nil)
    }

    // MARK: Keys that come later

    /// A key source that publishes keys when the test asks for it.
    private final class Source: TokenKeySource {
        let ring = TokenKeyRing()
        let set: [UInt8]?
        let count = Mutex(0)

        init(_ set: [UInt8]?) { self.set = set }

        func fetchAgain() async {
            count.withLock { $0 += 1 }
            if let set, let keys = try? TokenKeySet.published(set).keys { ring.setFetched(keys) }
        }
    }

    @Test func `only a token with an unknown key id waits for the keys to be fetched`() async throws {
        let source = Source(keySet(try keys.jwk("ES256", #""kid":"new""#)))
        let verifier = TokenVerifier(
            secret: Array(secret.utf8), ring: source.ring, source: source, clock: { TokenVerifierTests.now })
        #expect(await verifier.refusal(token(header: #"{"alg":"HS256","kid":"x"}"#, #"{"sub":"ann"}"#)) == nil)
        #expect(await verifier.refusal(token(#"{"sub":"ann"}"#, key: "another")) == .invalid)
        #expect(source.count.withLock { $0 } == 0, "the secret's tokens need no key")
        #expect(try await verifier.refusal(keys.token("ES256", head: #""kid":"new""#)) == nil)
        #expect(source.count.withLock { $0 } == 1)
        #expect(try await verifier.refusal(KeyPairs().token("ES256", head: #""kid":"new""#)) == .invalid)
        #expect(try await verifier.refusal(keys.token("ES256", head: #""kid":"new""#)) == nil)
        #expect(source.count.withLock { $0 } == 1, "the key is there")
        #expect(try await verifier.refusal(keys.token("ES256", head: #""kid":"other""#)) == .invalid)
        #expect(source.count.withLock { $0 } == 2)
    }

    @Test func `before the first fetch of the keys, no token is reported as invalid`() async throws {
        let source = Source(nil)
        let verifier = TokenVerifier(
            secret: nil, ring: source.ring, source: source, clock: { TokenVerifierTests.now })
        #expect(try await verifier.refusal(keys.token("ES256", head: #""kid":"a""#)) == .unavailable)
        #expect(try await verifier.refusal(keys.token("ES256")) == .unavailable)
        #expect(await verifier.refusal(token(#"{"sub":"ann"}"#)) == .invalid)
        #expect(try await verifier.refusal(keys.token("ES256", says: "none")) == .invalid)
        source.ring.setFetched(try TokenKeySet.published(keySet(try keys.jwk("ES256", #""kid":"b""#))).keys)
        #expect(try await verifier.refusal(keys.token("ES256", head: #""kid":"a""#)) == .invalid)
    }
}
