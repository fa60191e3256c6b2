import API
import ChatModel
import Testing

@Suite struct UploadTargetTests {
    @Test(arguments: [
        ("a.png", "a.png"), ("a+b%2Bc", "a b+c"), ("..%2F..%2Fetc%2Fpasswd", "passwd"), ("C:%5Cdir%5Ca.txt", "a.txt"),
        ("a%00b%0D%0Ac", "abc"), ("a%E2%80%AEgpj.exe", "agpj.exe"), ("", "file"), ("..", "file"), ("%2F", "file"),
        ("%20.", "file"), ("%C3%A9", "é"),
    ])
    func `MS1: a file name is the last path component, without control characters`(
        escaped: String, name: String
    ) throws {
        let target = try UploadTarget(path: "/v1/files?channel_id=general&name=\(escaped)&unknown=1")
        #expect(target.name == name && target.channel.rawValue == "general")
    }

    @Test func `MS1: a long file name is truncated to 200 code points`() throws {
        for count in [199, 200, 201] {
            let name = String(repeating: "%C3%A9", count: count)
            let target = try UploadTarget(path: "/v1/files?name=\(name)&channel_id=a")
            #expect(target.name.unicodeScalars.count == min(200, count))
        }
    }

    @Test(
        arguments: [
            ("", .badRequest), ("?", .badRequest), ("?channel_id=a", .badRequest), ("?name=a", .badRequest),
            ("?channel_id=&name=a", .invalidValue), ("?channel_id=a&channel_id=a&name=a", .badRequest),
            ("?channel_id=a&name=%F", .badRequest), ("?channel_id=a&name=%ZZ", .badRequest),
            ("?channel_id=a&name=%C3", .badRequest), ("?channel_id=a&name=a&b&c&d", nil),
            ("?" + String(repeating: "a&", count: 15) + "channel_id=a&name=a", .badRequest),
        ] as [(String, ErrorCode?)])
    func `MS1: the query must contain the channel and the file's properties, without duplicates`(
        query: String, code: ErrorCode?
    ) {
        var refusal: ErrorCode?
        do throws(Rejection) { _ = try UploadTarget(path: "/v1/files" + query) } catch { refusal = error.code }
        #expect(refusal == code)
    }
}
