import Cryptography
import Dispatch
import SigningSupport
import Synchronization
import Testing

func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

@Suite struct DigestsTests {
    private static let long = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"

    /// The examples of FIPS 180-4.
    @Test(arguments: [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (long, "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
    ])
    func `SHA-1 gives the standard's digests`(text: String, digest: String) {
        #expect(hex(SHA1.hash(Array(text.utf8))) == digest)
    }

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (long, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    ])
    func `SHA-256 gives the standard's digests, also of bytes in pieces`(text: String, digest: String) {
        let bytes = Array(text.utf8)
        #expect(hex(SHA256.hash(bytes)) == digest && SHA256.byteCount == 32)
        for size in [1, 3, 55, 56, 64] {
            var hash = SHA256()
            for start in stride(from: 0, to: bytes.count, by: size) {
                hash.update(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            hash.update([])
            #expect(hex(hash.finalize()) == digest, "\(size)")
        }
    }

    @Test func `SHA-256 gives the standard's digest of a million bytes`() {
        let digest = SHA256.hash([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000))
        #expect(hex(digest) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    /// RFC 4231 §4.2 to §4.5, §4.7, §4.8.
    static let codes: [(key: [UInt8], bytes: [UInt8], code: String)] = [
        (
            [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            Array(1...25), [UInt8](repeating: 0xCD, count: 50),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131),
            Array(
                """
                This is a test using a larger than block-size key and a larger than block-size data. The key needs to be \
                hashed before being used by the HMAC algorithm.
                """.utf8),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ]

    @Test(arguments: codes.indices)
    func `HMAC-SHA-256 gives the RFC's codes, as often as asked`(index: Int) {
        let (key, bytes, code) = Self.codes[index]
        let hmac = HMACKey(key)
        for _ in 0..<3 { #expect(hex(hmac.code(for: bytes)) == code) }
    }

    @Test func `a key of any length gives the codes of OpenSSL's own HMAC`() {
        for keyBytes in [0, 1, 32, 63, 64, 65, 128, 129] {
            let key = (0..<keyBytes).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ keyBytes) }
            let own = HMACKey(key)
            for count in [0, 1, 55, 56, 63, 64, 65, 200, 4_096] {
                let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13) }
                #expect(own.code(for: bytes) == hmac(bytes, key: key), "\(keyBytes), \(count)")
                #expect(own.code(for: AnyCollection(bytes)) == hmac(bytes, key: key), "\(keyBytes), \(count)")
            }
        }
    }

    @Test func `a code is valid for its text and key only, and only whole`() {
        let key = HMACKey([1, 2, 3]), text = Array("hello".utf8)
        let code = key.code(for: text)
        #expect(key.isValid(code, for: text))
        #expect(!key.isValid(code, for: text + [0]) && !HMACKey([1, 2, 4]).isValid(code, for: text))
        for index in code.indices {
            var changed = code
            changed[index] ^= 0x80
            #expect(!key.isValid(changed, for: text))
            #expect(!key.isValid(Array(code.prefix(index)), for: text))
        }
        #expect(!key.isValid(code + [0], for: text))
    }

    @Test func `several queues may use one key at the same time`() {
        let key = HMACKey(Array("secret".utf8))
        let wrong = Mutex(0)
        let texts = (0..<64).map { [UInt8](repeating: UInt8($0), count: $0 * 7) }
        let expected = texts.map { hmac($0, key: Array("secret".utf8)) }
        DispatchQueue.concurrentPerform(iterations: 8) { worker in
            for round in 0..<200 {
                let index = (round + worker * 8) % texts.count
                if !key.isValid(expected[index], for: texts[index]) { wrong.withLock { $0 += 1 } }
            }
        }
        #expect(wrong.withLock(\.self) == 0)
    }

    @Test func `secrets are equal if all their bytes are`() {
        #expect(isEqualInConstantTime([], []) && isEqualInConstantTime([1, 2], [1, 2]))
        for (a, b) in [([], [0]), ([1], [2]), ([1, 2], [1]), ([1, 2], [1, 3]), ([1, 2], [0, 2])] as [([UInt8], [UInt8])]
        {
            #expect(!isEqualInConstantTime(a, b) && !isEqualInConstantTime(b, a))
        }
    }
}
