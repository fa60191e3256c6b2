import FoundationEssentials
import Glibc
import HTTPCodec
import HTTPTypes
import Testing

/// A plain HTTP client with one persistent connection.
final class Browser {
    struct Answer {
        var status = 0
        var fields = HTTPFields()
        var body: [UInt8] = []
        var json: JSON? { try? JSON(body) }
    }

    let peer: Peer
    private var decoder = ResponseDecoder(limits: HTTPLimits(bodyBytes: 67_108_864))

    init(_ server: TestServer) throws { peer = try Peer(port: server.port) }

    func answer() async throws -> Answer {
        var answer = Answer()
        while true {
            while let part = try decoder.next() {
                switch part {
                case .head(let response, _):
                    (answer.status, answer.fields) = (response.status.code, response.headerFields)
                case .body(let bytes): answer.body += bytes
                case .end: return answer
                }
            }
            let read = try await peer.read()
            read.withUnsafeBytes { decoder.feed($0) }
        }
    }

    func get(_ path: String, _ credentials: String) async throws -> Answer {
        try peer.write(Array("GET \(path) HTTP/1.1\r\nHost: x\r\n\(credentials)\r\n\r\n".utf8))
        return try await answer()
    }

    func upload(
        _ bytes: [UInt8], _ query: String, _ credentials: String, isChunked: Bool = false
    ) async throws -> Answer {
        let length = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(bytes.count)"
        let head = "POST /v1/files?\(query) HTTP/1.1\r\nHost: x\r\n\(length)\r\n\(credentials)\r\n\r\n"
        try peer.write(Array(head.utf8))
        var rest = bytes[...]
        while isChunked, !rest.isEmpty {
            let chunk = rest.prefix(10_000)
            rest = rest.dropFirst(chunk.count)
            try peer.write(Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8))
        }
        try peer.write(isChunked ? Array("0\r\n\r\n".utf8) : bytes)
        return try await answer()
    }
}

/// `MS1` over real sockets.
@Suite struct FileTests {
    private let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private func bearer(_ user: String, _ server: TestServer) async throws -> String {
        "Authorization: Bearer \(try await server.token(user))"
    }

    /// Returns a server on which ann and bob are in `general`, cat is not, and ann alone is in `other`.
    private func start(maxBytes: Int = 26_214_400) async throws -> TestServer {
        let server = try await TestServer { $0.limits.files.maxBytes = maxBytes }
        let ann = try await server.connect("ann")
        for user in ["bob", "cat"] { _ = try await server.connect(user) }
        try await ann.rpc("channel.create", ["id": "general", "user_ids": ["bob"]])
        try await ann.rpc("channel.create", ["id": "other"])
        return server
    }

    /// Waits until the file folder contains this many files, or gives up.
    private func hold(_ count: Int, _ server: TestServer) async throws -> Bool {
        for _ in 0..<2_000 {
            let names = try FileManager.default.contentsOfDirectory(atPath: server.folder + "/files")
            if names.count == count { return true }
            usleep(5_000)
        }
        return false
    }

    @Test(arguments: [false, true])
    func `MS1: an upload is returned byte for byte to users who see the message`(isChunked: Bool) async throws {
        let server = try await start()
        let (ann, bob, cat) = (
            try await bearer("ann", server), try await bearer("bob", server), try await bearer("cat", server)
        )
        let browser = try Browser(server)
        let bytes = png + (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
        let name = "..%2F..%2Fetc%2Fpass+w%C3%B6rd%0D%0AX-Bad:1.png"
        let upload = try await browser.upload(bytes, "channel_id=general&name=\(name)", ann, isChunked: isChunked)
        let file = try #require(upload.json?["file"])
        #expect(upload.status == 200)
        #expect(file["name"]?.string == "pass wördX-Bad:1.png" && file["size"]?.int == bytes.count)
        #expect(file["mime_type"]?.string == "image/png")
        let (id, url) = (try #require(file["id"]?.string), try #require(file["url"]?.string))
        #expect(url == "/v1/files/\(id)/pass%20w%C3%B6rdX-Bad%3A1.png")
        #expect(try await browser.get(url, bob).status == 404, "not sent yet")
        let (status, answer) = try await server.http(
            "message.send", #"{"channel_id":"general","kind":"file","files":[{"id":"\#(id)"}]}"#,
            [.authorization: String(ann.dropFirst(15))])
        #expect(status == 200 && answer["message"]?["files"]?.array.first?["url"]?.string == url)
        for person in [ann, bob, "X-API-Key: \(TestServer.apiKey)"] {
            let got = try await browser.get(url, person)
            #expect(got.status == 200 && got.body == bytes)
            #expect(got.fields[.contentType] == "image/png")
            #expect(got.fields[.contentDisposition] == "attachment; filename*=UTF-8''pass%20w%C3%B6rdX-Bad%3A1.png")
            #expect(got.fields.first { $0.name.canonicalName == "x-content-type-options" }?.value == "nosniff")
        }
        let refused = try await browser.get(url, cat)
        #expect(refused.status == 404 && refused.json?["error"]?["code"]?.int == 1000)
        #expect(try await browser.get(url, "X-None: 1").status == 401)
        #expect(try await browser.get("/v1/files/\(id)/..%2f..%2fetc%2fpasswd", bob).body == bytes)
        for path in ["/v1/files/..%2f..%2fbelfry.lock/x", "/v1/files/../../belfry.lock", "/v1/files/\(id)"] {
            #expect(try await browser.get(path, bob).status == 404, "\(path)")
        }
        #expect(try await browser.get("/livez", bob).status == 200, "the connection lives on")
        await server.stop()
    }

    /// Issue 20, B: files stayed on disk until the next upload or restart.
    @Test func `MS8, CH14: files leave the folder with their message and with their channel`() async throws {
        let server = try await start()
        let ann = try await bearer("ann", server)
        let key = try #require(HTTPField.Name("X-API-Key"))
        for (channel, ending) in [("general", "message.delete"), ("other", "channel.delete")] {
            let upload = try await Browser(server).upload(png, "channel_id=\(channel)&name=a.png", ann)
            let id = try #require(upload.json?["file"]?["id"]?.string)
            let (_, answer) = try await server.http(
                "message.send", #"{"channel_id":"\#(channel)","kind":"file","files":[{"id":"\#(id)"}]}"#,
                [.authorization: String(ann.dropFirst(15))])
            let message = try #require(answer["message"]?["id"]?.string)
            #expect(try await hold(1, server))
            let rest = ending == "message.delete" ? #","message_id":"\#(message)""# : ""
            let (status, _) = try await server.http(
                ending, #"{"channel_id":"\#(channel)"\#(rest)}"#, [key: TestServer.apiKey])
            #expect(status == 200)
            #expect(try await hold(0, server), "\(ending)")
        }
        await server.stop()
    }

    @Test(arguments: [false, true])
    func `MS1: a file over the limit is refused with 413 and 1035, and no part of it remains`(
        isChunked: Bool
    ) async throws {
        let server = try await start(maxBytes: 100_000)
        let ann = try await bearer("ann", server)
        let query = "channel_id=general&name=a"
        let most = [UInt8](repeating: 1, count: 100_000)
        #expect(try await Browser(server).upload(most, query, ann, isChunked: isChunked).status == 200)
        let refused = try await Browser(server).upload(most + [1], query, ann, isChunked: isChunked)
        #expect(refused.status == 413 && refused.json?["error"]?["code"]?.int == 1035)
        #expect(refused.fields[.connection] == "close")
        #expect(try await hold(1, server))
        await server.stop()
    }

    @Test func `MS1: a client that stops halfway leaves no file`() async throws {
        let server = try await start()
        let ann = try await bearer("ann", server)
        do {
            let browser = try Browser(server)
            let head = """
                POST /v1/files?channel_id=general&name=a HTTP/1.1\r
                Host: x\r
                Content-Length: 1000000\r
                \(ann)\r
                \r

                """
            try browser.peer.write(Array(head.utf8))
            try browser.peer.write([UInt8](repeating: 1, count: 500_000))
            #expect(try await hold(1, server))
        }
        #expect(try await hold(0, server))
        await server.stop()
    }

    @Test func `MS1: an upload where the user cannot send is refused before its body is requested`() async throws {
        let server = try await start()
        let (ann, bob) = (try await bearer("ann", server), try await bearer("bob", server))
        let key = "X-API-Key: \(TestServer.apiKey)"
        for (query, credentials, status, code) in [
            ("channel_id=other&name=a", bob, 404, 1000), ("channel_id=nowhere&name=a", ann, 404, 1000),
            ("channel_id=general", ann, 400, 107), ("name=a", ann, 400, 107),
            ("channel_id=general&name=%FF", ann, 400, 107), ("channel_id=a%2Fb&name=a", ann, 400, 1032),
            ("channel_id=general&name=a&name=b", ann, 400, 107),
            ("channel_id=general&name=a&as_user_id=bob", ann, 403, 1009),
            ("channel_id=general&name=a", key, 400, 107), ("channel_id=general&name=a", "X-None: 1", 401, 101),
            ("channel_id=general&name=a&as_user_id=nobody", key, 404, 1000),
        ] {
            let browser = try Browser(server)
            let length = "Content-Length: 1000000\r\nExpect: 100-continue"
            try browser.peer.write(
                Array("POST /v1/files?\(query) HTTP/1.1\r\nHost: x\r\n\(length)\r\n\(credentials)\r\n\r\n".utf8))
            let answer = try await browser.answer()
            #expect(answer.status == status && answer.json?["error"]?["code"]?.int == code, "\(query)")
            #expect(answer.fields[.connection] == "close")
        }
        let empty = try await Browser(server).upload([], "channel_id=general&name=a", ann)
        #expect(empty.status == 400 && empty.json?["error"]?["code"]?.int == 1035)
        let query = "channel_id=general&name=%2F&as_user_id=bob"
        let file = try await Browser(server).upload(Array("héllo\n".utf8), query, key).json?["file"]
        #expect(file?["name"]?.string == "file" && file?["mime_type"]?.string == "text/plain")
        let url = try #require(file?["url"]?.string)
        let browser = try Browser(server)
        #expect(try await browser.get(url, ann).status == 404)
        #expect(try await browser.get(url, bob).fields[.contentType] == "text/plain; charset=utf-8")
        #expect(try await browser.get(url + "?as_user_id=bob", key).status == 200)
        #expect(try await browser.get(url + "?as_user_id=ann", key).status == 404)
        try browser.peer.write(Array("HEAD \(url) HTTP/1.1\r\nHost: x\r\n\(bob)\r\nConnection: close\r\n\r\n".utf8))
        var heard: [UInt8] = []
        while let read = try? await browser.peer.read() { heard += read }
        let text = String(decoding: heard, as: UTF8.self)
        #expect(text.contains("Content-Length: 7\r\n") && text.hasSuffix("\r\n\r\n"))
        #expect(try await hold(1, server))
        await server.stop()
    }

    /// The limit for uploads does not apply to the body of a command.
    @Test func `a command's body has a separate limit, whether or not its length is announced`() async throws {
        let server = try await start()
        for length in ["Content-Length: 1048577", "Transfer-Encoding: chunked"] {
            let browser = try Browser(server)
            try browser.peer.write(Array("POST /v1/user.get HTTP/1.1\r\nHost: x\r\n\(length)\r\n\r\n".utf8))
            if length.hasPrefix("T") {
                try browser.peer.write(Array("100001\r\n".utf8) + [UInt8](repeating: 1, count: 1_048_577))
            }
            #expect(try await browser.answer().status == 413)
        }
        await server.stop()
    }
}
