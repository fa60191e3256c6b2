import SigningSupport
import Testing

@testable import API

/// Signatures alone, without the rest of a token. RFC 7515 §5.2.
@Suite struct TokenSignatureTests {
    /// A published token and the key that signed it.
    struct Example: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let key: String
        let text: String
        let signature: String
    }

    private static let joe =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    static let examples = [
        Example(
            testDescription: "RFC 7515 A.2, RS256",
            key: """
                {"kty":"RSA","e":"AQAB","n":"\
                ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yR\
                T-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXB\
                dQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9ia\
                GNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"}
                """,
            text: "eyJhbGciOiJSUzI1NiJ9." + joe,
            signature: """
                cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9\
                uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB\
                _eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rq\
                Vt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
                """),
        Example(
            testDescription: "RFC 7515 A.3, ES256",
            key: """
                {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
                "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
                """,
            text: "eyJhbGciOiJFUzI1NiJ9." + joe,
            signature: "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"),
        Example(
            testDescription: "RFC 8037 A.4, EdDSA",
            key: #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
            text: "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc",
            signature: "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"),
    ]

    private func key(_ json: String) throws -> TokenKey { try #require(try TokenKeySet.read(keySet(json)).first) }

    // MARK: Known answers

    @Test(arguments: examples)
    func `the RFCs' signatures are valid, and no longer after a change of any byte`(example: Example) throws {
        let key = try key(example.key)
        let signature = try #require(Base64URL.bytes(example.signature))
        #expect(key.isValid(signature, of: example.text[...]))
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1
            #expect(!key.isValid(changed, of: example.text[...]), "byte \(index)")
        }
        for index in example.text.indices {
            var changed = example.text
            changed.replaceSubrange(index...index, with: changed[index] == "A" ? "B" : "A")
            #expect(!key.isValid(signature, of: changed[...]), "character \(index)")
        }
    }

    @Test func `the HS256 signature in RFC 7515 A.1 is valid`() throws {
        let key = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"
        let secret = TokenSecret(try #require(Base64URL.bytes(key)))
        let signature = try #require(Base64URL.bytes("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        #expect(secret.isValid(signature, of: "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(Self.joe)"))
        #expect(!secret.isValid(signature, of: "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(Self.joe)A"))
    }

    // MARK: Lengths and ranges

    @Test(arguments: examples)
    func `a longer or shorter signature is refused`(example: Example) throws {
        let key = try key(example.key)
        let good = try #require(Base64URL.bytes(example.signature))
        let longer: [[UInt8]] = [good + [0], [0] + good, good + good]
        for wrong in longer + [[], [0], Array(good.dropLast()), Array(good.dropFirst())] {
            #expect(!key.isValid(wrong, of: example.text[...]), "\(wrong.count) bytes")
        }
    }

    /// A verifier that skipped the range check accepted zeroes for any text (CVE-2022-21449).
    @Test func `ES256: r and s must be at least one and less than the order`() throws {
        let example = Self.examples[1]
        let key = try key(example.key)
        let good = try #require(Base64URL.bytes(example.signature))
        let zero = [UInt8](repeating: 0, count: 32)
        // FIPS 186-4 §D.1.2.3.
        let order: [UInt8] =
            [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8) + [
                0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
            ]
        let (r, s) = (Array(good.prefix(32)), Array(good.suffix(32)))
        let wrong: [[UInt8]] = [zero + zero, zero + s, r + zero, order + s, r + order, order + order, s + r]
        for signature in wrong { #expect(!key.isValid(signature, of: example.text[...])) }
    }

    @Test func `ES256: a signature in DER form is refused`() throws {
        let example = Self.examples[1]
        let key = try key(example.key)
        let good = try #require(Base64URL.bytes(example.signature))
        // DER needs a zero before a number that starts with 0x80 or more, as s does.
        let der = [0x30, 0x45, 0x02, 0x20] + good.prefix(32) + [0x02, 0x21, 0x00] + good.suffix(32)
        #expect(!key.isValid(der, of: example.text[...]))
    }

    /// The sum is congruent to the signature, so a verifier must check its range. RFC 8017 §5.2.2.
    @Test func `RS256: the sum of a signature and the modulus is refused`() throws {
        let modulus = """
            09zvuFvI4x7DZmV9ERFKLqfK27KltcfHeoTLm5Nz1923CZVimQS_mrT4APdEfZP-dXvg_lNF8b-7NqMQk0abJ8SHePxjLpQD\
            olaKFFUK81Rr6COOy71jd-G3yt0arIJlFDk0nOjY37UZy_3mO7CRv2kwFwHjFs1Ej1JY9pr_h2mg4fLzyB48nica_Twgezoj\
            N3FVMJ9VUpbC5YlURjgj4B5eLg7RAVcxjlOorBhxLz8OZIubJEVWxO7lFvxAchnzdmqnuoTDv6AwKY8VFV5VvvtkxKX_sg1z\
            WEkJaj2n28gQ332EOBbEPEQeYQvUKpR6XYgJU_rqILPMR3aMl19Q-Q
            """
        let signature = """
            EdZcMyAZHkiwmMYCV60xgNSf1gybBYb8PdhXfMYfGZ7sQd1NC7L26AUGIq3VYCmgGjY7z9kds6Ir5DH5eSkq5ZIyqEH3sqGE\
            KmjtXJFnWLMG_l8S_iyifsmBr7q-EJredAZ3VmfFcSsQCXUTbFPqBmcBfk-Q1nptgsH8ql5I7hxaHJ9tk-ZIyPBSm12w0O4e\
            vp_qfuZD4l_xGtO376ZVsAgXnX8d2ttCHMjeATPX763osmkMkzTXc-q67F31M5BCa5MYxepPMrCdTqdRRbI-AQYSImjQsBOo\
            YmDf4u4XUITz_bQFFiTrirc6cFlbkLDqgkHIV-KtiJS_Q8BmlQhepA
            """
        let key = try key(#"{"kty":"RSA","n":"\#(modulus)","e":"AQAB"}"#)
        let good = try #require(Base64URL.bytes(signature))
        #expect(key.isValid(good, of: "1"))
        let number = try #require(Base64URL.bytes(modulus))
        let tooLarge = try #require(sum(good, number))
        #expect(!key.isValid(tooLarge, of: "1"))
    }

    /// - Returns: The sum of two big-endian numbers of the same length; `nil` if it is longer.
    private func sum(_ a: [UInt8], _ b: [UInt8]) -> [UInt8]? {
        var (sum, carry) = (a, 0)
        for index in a.indices.reversed() {
            carry += Int(a[index]) + Int(b[index])
            sum[index] = UInt8(carry & 0xFF)
            carry >>= 8
        }
        return carry == 0 ? sum : nil
    }

    // MARK: Other hashes and paddings

    @Test func `RS256: another hash or padding is refused`() throws {
        let (text, rsa) = ("a.b", KeyPairs.shared.rsa)
        let key = try key(try KeyPairs.shared.jwk("RS256"))
        let bytes = Array(text.utf8)
        #expect(key.isValid(try rsa.signature(of: bytes), of: text[...]))
        for hash in ["SHA1", "SHA384", "SHA512"] {
            #expect(!key.isValid(try rsa.signature(of: bytes, hash: hash), of: text[...]), "\(hash)")
        }
        #expect(!key.isValid(try rsa.signature(of: bytes, padding: .pss), of: text[...]))
    }

    @Test func `ES256: another hash is refused`() throws {
        let (text, ec) = ("a.b", KeyPairs.shared.ec)
        let key = try key(try KeyPairs.shared.jwk("ES256"))
        let bytes = Array(text.utf8)
        #expect(key.isValid(try ec.p256Signature(of: bytes), of: text[...]))
        for hash in ["SHA1", "SHA384", "SHA512"] {
            #expect(!key.isValid(try ec.p256Signature(of: bytes, hash: hash), of: text[...]), "\(hash)")
        }
    }
}
