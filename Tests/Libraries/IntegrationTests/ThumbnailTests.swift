import Foundation
import Glibc
import HTTPTypes
import Testing

/// Generated images, and one like a camera's.
private enum Image {
    /// A JPEG of 48×32 pixels.
    static let jpeg = Array(
        Data(
            base64Encoded: """
                /9j/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/2wBDARwe\
                HigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wAARCAAgADADASIAAhEB\
                AxEB/8QAFwABAQEBAAAAAAAAAAAAAAAAAAECA//EACAQAAICAgICAwAAAAAAAAAAAAABAhEhMQNBUZEScaH/xAAUAQEAAAAAAAAAAAAA\
                AAAAAAAA/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8A58XFDj44xjCKpLrZul4XoR0vou7yBKVrCwKXhDsAVNxdxdPp\
                owoQuUvhG5Scm67bNCOkAWlisALSADv8x0HY7LigJ6EbpFsi0B//2Q==
                """) ?? Data())

    /// Returns a grey, uncompressed PNG with eight bits per pixel. PNG §5, RFC 1950, RFC 1951 §3.2.4.
    ///
    /// - Parameter rows: The number of rows that have pixels.
    static func png(_ width: Int, _ height: Int, rows: Int? = nil) -> [UInt8] {
        let row = [0] + (0..<width).map { UInt8(truncatingIfNeeded: $0 * 5) }
        let raw = Array(repeatElement(row, count: rows ?? height).joined())
        var body: [UInt8] = [0x78, 0x01]
        for start in stride(from: 0, to: raw.count, by: 65_535) {
            let block = raw[start..<min(start + 65_535, raw.count)]
            let count = UInt16(block.count)
            body += [start + block.count == raw.count ? 1 : 0, UInt8(count & 0xFF), UInt8(count >> 8)]
            body += [UInt8(~count & 0xFF), UInt8(~count >> 8)] + block
        }
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in raw { (a, b) = ((a + UInt32(byte)) % 65_521, (b + a + UInt32(byte)) % 65_521) }
        let size = big(UInt32(width)) + big(UInt32(height))
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", size + [8, 0, 0, 0, 0])
            + chunk("IDAT", body + big(b << 16 | a)) + chunk("IEND", [])
    }

    private static func big(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 0xFF) } }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let named = Array(name.utf8) + data
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in named {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return big(UInt32(data.count)) + named + big(~sum)
    }

    /// Returns width and height of a PNG, or of a JPEG as written by libvips.
    static func size(_ bytes: [UInt8]) -> [Int] {
        func number(_ range: Range<Int>) -> Int { bytes[range].reduce(0) { $0 << 8 | Int($1) } }
        if bytes.count > 24, bytes[0] == 0x89 { return [number(16..<20), number(20..<24)] }
        guard bytes.count > 20, bytes[0] == 0xFF,
            let frame = (2..<bytes.count - 9).first(where: {
                bytes[$0] == 0xFF && [0xC0, 0xC2].contains(bytes[$0 + 1])
            })
        else { return [] }
        return [number(frame + 7..<frame + 9), number(frame + 5..<frame + 7)]
    }
}

private let hasTool = (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":").contains {
    access("\($0)/vipsthumbnail", X_OK) == 0
}

/// `MS1`: thumbnails of uploads.
@Suite struct ThumbnailTests {
    /// A server with a sent image, and the file in its message.
    private struct Sent {
        let server: TestServer
        let browser: Browser
        let ann, bob, cat: String
        let url: String
        let thumbnails: [String]
        let messageID: String

        func thumbnail(_ index: Int, _ person: String) async throws -> Browser.Answer {
            try await browser.get(thumbnails[index], person)
        }

        /// Returns the content of the thumbnail folder.
        func kept() -> [String] {
            let folder = server.folder + "/files/thumbnails"
            return (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? [])
                .filter { $0.contains("/") }.compactMap { $0.split(separator: "/").last.map(String.init) }.sorted()
        }
    }

    @Test(.enabled(if: hasTool))
    func `MS1: an image is served in full size, and counted, while too many images are queued`() async throws {
        let image = Image.png(60, 40)
        let sent = try await send(image, waiting: 0)
        #expect(try await sent.thumbnail(0, sent.bob).body == image)
        #expect(sent.kept().isEmpty)
        #expect(try await sent.server.metric(#"belfry_thumbnails_total{result="refused"}"#) == 1)
        #expect(try await sent.server.metric(#"belfry_thumbnails_total{result="made"}"#) == 0)
        #expect(try await sent.server.metric("belfry_thumbnail_seconds_count") == 0)
        await sent.server.stop()
    }

    private func send(
        _ image: [UInt8], sizes: String = #"[{"max_width":20,"max_height":20},{"max_width":40,"max_height":3}]"#,
        waiting: Int = 32,
        _ change: (inout Bool, inout Int) -> Void = { _, _ in }
    ) async throws -> Sent {
        var (makes, pixels) = (true, 50_000_000)
        change(&makes, &pixels)
        let server = try await TestServer {
            $0.limits.files.makesThumbnails = makes
            $0.limits.files.thumbnailPixels = pixels
            $0.limits.files.thumbnailsWaiting = waiting
            // Other tests share the processors.
            $0.limits.files.thumbnailMilliseconds = 120_000
        }
        let peer = try await server.connect("ann")
        for user in ["bob", "cat"] { _ = try await server.connect(user) }
        try await peer.rpc("channel.create", ["id": "general", "user_ids": ["bob"]])
        func bearer(_ user: String) async throws -> String {
            "Authorization: Bearer \(try await server.token(user))"
        }
        let (ann, bob, cat) = (try await bearer("ann"), try await bearer("bob"), try await bearer("cat"))
        let browser = try Browser(server)
        let upload = try #require(
            try await browser.upload(image, "channel_id=general&name=a.png", ann).json?["file"])
        let id = try #require(upload["id"]?.string)
        let url = try #require(upload["url"]?.string)
        #expect(try await browser.get(url + "?thumbnail=20x20", ann).status == 404, "no message asks for it yet")
        let body = #"{"channel_id":"general","kind":"file","files":[{"id":"\#(id)"}],"thumbnail_sizes":\#(sizes)}"#
        let message = try #require(
            try await server.http("message.send", body, [.authorization: String(ann.dropFirst(15))]).body["message"])
        let thumbnails = message["files"]?.array.first?["thumbnails"]?.array.compactMap { $0["url"]?.string } ?? []
        return Sent(
            server: server, browser: browser, ann: ann, bob: bob, cat: cat, url: url, thumbnails: thumbnails,
            messageID: message["id"]?.string ?? "")
    }

    @Test(.enabled(if: hasTool), arguments: [true, false])
    func `MS1: PNG and JPEG images are scaled to the requested sizes, for users who can see them`(
        isPNG: Bool
    ) async throws {
        let sent = try await send(isPNG ? Image.png(60, 40) : Image.jpeg)
        #expect(sent.thumbnails == [sent.url + "?thumbnail=20x20", sent.url + "?thumbnail=40x3"])
        for (index, size) in [[20, 13], [5, 3]].enumerated() {
            let got = try await sent.thumbnail(index, sent.bob)
            #expect(got.status == 200 && Image.size(got.body) == size)
            #expect(got.fields[.contentType] == (isPNG ? "image/png" : "image/jpeg"))
            #expect(try await sent.thumbnail(index, sent.ann).body == got.body)
        }
        #expect(sent.kept() == ["20x20", "40x3"])
        #expect(try await sent.server.metric(#"belfry_thumbnails_total{result="made"}"#) == 2)
        #expect(try await sent.server.metric("belfry_thumbnail_seconds_count") == 2)
        #expect(try await sent.server.metric("belfry_thumbnails_waiting") == 0)
        #expect(try await sent.thumbnail(0, sent.cat).status == 404)
        #expect(try await sent.thumbnail(0, "X-None: 1").status == 401)
        #expect(try await sent.thumbnail(0, "X-API-Key: \(TestServer.apiKey)").status == 200)
        let other = try await sent.browser.get(sent.url + "?thumbnail=21x20", sent.bob)
        #expect(other.status == 404 && other.json?["error"]?["code"]?.int == 1000)
        for size in ["", "20", "x", "20x", "0x20", "20x4097", "+9x20", "20x20x20", "20X20", "../x1"] {
            let wrong = try await sent.browser.get(sent.url + "?thumbnail=\(size)", sent.bob)
            #expect(wrong.status == 400 && wrong.json?["error"]?["code"]?.int == 1032, "\(size)")
        }
        await sent.server.stop()
    }

    @Test(.enabled(if: hasTool))
    func `MS1: an image is not enlarged, and simultaneous requests get the same result`() async throws {
        let sent = try await send(Image.png(60, 40), sizes: #"[{"max_width":4096,"max_height":4096}]"#)
        let browsers = try (0..<12).map { _ in try Browser(sent.server) }
        for browser in browsers {
            let head = "GET \(sent.thumbnails[0]) HTTP/1.1\r\nHost: x\r\n\(sent.bob)\r\n\r\n"
            try browser.peer.write(Array(head.utf8))
        }
        var answers: [[UInt8]] = []
        for browser in browsers { answers.append(try await browser.answer().body) }
        #expect(answers.count == 12 && Set(answers).count == 1)
        #expect(Image.size(answers[0]) == [60, 40])
        #expect(sent.kept() == ["4096x4096"])
        await sent.server.stop()
    }

    @Test(.enabled(if: hasTool)) func `MS1: thumbnails are removed with their upload`() async throws {
        let sent = try await send(Image.png(60, 40))
        #expect(try await sent.thumbnail(0, sent.bob).status == 200)
        let token = String(sent.ann.dropFirst(15))
        let body = #"{"channel_id":"general","message_id":"\#(sent.messageID)"}"#
        #expect(try await sent.server.http("message.delete", body, [.authorization: token]).status == 200)
        #expect(try await sent.thumbnail(0, sent.bob).status == 404)
        // The next upload removes the files.
        #expect(try await sent.browser.upload([1], "channel_id=general&name=b", sent.ann).status == 200)
        for _ in 0..<2_000 where !sent.kept().isEmpty { usleep(5_000) }
        #expect(sent.kept().isEmpty)
        await sent.server.stop()
    }

    @Test
    func `MS1: a decompression bomb, a truncated image and a server without thumbnails return the original`()
        async throws
    {
        let whole = Image.png(60, 40)
        let images: [(what: String, bytes: [UInt8], makes: Bool, pixels: Int)] = [
            ("bomb", Image.png(50_000, 50_000, rows: 2), true, 50_000_000),
            ("over the bound", whole, true, 2_399), ("cut PNG", Array(whole.prefix(1_000)), true, 50_000_000),
            ("PNG of too few rows", Image.png(60, 40, rows: 20), true, 50_000_000),
            ("cut JPEG", Array(Image.jpeg.prefix(300)), true, 50_000_000), ("switched off", whole, false, 50_000_000),
            ("no more than its first bytes", Array(whole.prefix(10)), true, 50_000_000),
        ]
        for image in images {
            let sent = try await send(image.bytes) { ($0, $1) = (image.makes, image.pixels) }
            for person in [sent.bob, sent.ann] {
                let got = try await sent.thumbnail(0, person)
                #expect(got.status == 200 && got.body == image.bytes, "\(image.what)")
            }
            let impossible = try await sent.server.metric(#"belfry_thumbnails_total{result="impossible"}"#)
            #expect(impossible == (hasTool && image.makes ? 1 : 0), "\(image.what)")
            await sent.server.stop()
        }
        guard hasTool else { return }
        let sent = try await send(whole) { $1 = 2_400 }
        #expect(Image.size(try await sent.thumbnail(0, sent.bob).body) == [20, 13])
        await sent.server.stop()
    }

    @Test func `MS1: a file that is neither PNG nor JPEG is returned unchanged`() async throws {
        let sent = try await send(Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x3B])
        #expect(sent.thumbnails == [sent.url, sent.url])
        #expect(try await sent.browser.get(sent.url + "?thumbnail=20x20", sent.bob).status == 404)
        await sent.server.stop()
    }
}
