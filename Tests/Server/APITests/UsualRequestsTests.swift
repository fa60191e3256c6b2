import ChatModel
import Testing
import WireProtocol

@testable import API

@Suite struct UsualRequestsTests {
    private static let id = "0198a0b0-0000-7000-8000-000000000001"

    /// Checks that both decoders give equal results for a text, or that the fast path declines it.
    private func compare<R: Request>(
        _ text: String, _ usual: UsualReader<R>, isUsual: Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let fields = try JSONFields(Array(text.utf8))
        let read = usual(fields)
        #expect((read != nil) == isUsual, "\(text)", sourceLocation: sourceLocation)
        guard let read else { return }
        let decoded = try WireDecoder().decode(R.self, from: fields)
        // Requests cannot be compared, but their bytes can.
        let encoder = WireEncoder()
        #expect(encoder.encode(decoded) == encoder.encode(read), "\(text)", sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        #"{"channel_id":"c"}"#, #"{"channel_id":"c","text":"hi"}"#, #"{"text":"","channel_id":"c","client_id":"x"}"#,
        #" { "channel_id" : "c" , "text" : "a \"quoted\" \u00e9 \ud83d\ude00 é" } "#,
        #"{"\u0063hannel_id":"c","te\u0078t":"t"}"#, #"{"channel_id":"c","parent_message_id":"\#(id)","text":"t"}"#,
    ])
    func `the fast path decodes a common message as Codable does`(text: String) throws {
        try compare(text, SendMessage.init(usual:), isUsual: true)
    }

    @Test(arguments: [
        "{}", #"{"text":"t"}"#, #"{"channel_id":""}"#, #"{"channel_id":7}"#, #"{"channel_id":null}"#,
        #"{"channel_id":"c","text":7}"#, #"{"channel_id":"c","text":null}"#, #"{"channel_id":"c","kind":"text"}"#,
        #"{"channel_id":"c","parent_message_id":"no"}"#, #"{"channel_id":"c","unknown":1}"#,
        #"{"channel_id":"c","as_user_id":"ann"}"#, #"{"channel_id":"c","data":"d"}"#,
        #"{"channel_id":"c","files":[]}"#,
    ])
    func `an uncommon message falls back to Codable`(text: String) throws {
        try compare(text, SendMessage.init(usual:), isUsual: false)
    }

    @Test(arguments: [
        (#"{"channel_id":"c","message_id":"\#(id)","key":"sob"}"#, true),
        (#"{"key":"sob","message_id":"\#(id)","channel_id":"c"}"#, true),
        (#"{"channel_id":"c","message_id":"\#(id)"}"#, false), (#"{"channel_id":"c","key":"sob"}"#, false),
        (#"{"channel_id":"c","message_id":"x","key":"sob"}"#, false),
        (#"{"channel_id":"c","message_id":"","key":"sob"}"#, false),
        (#"{"channel_id":"c","message_id":7,"key":"sob"}"#, false),
        (#"{"channel_id":"c","message_id":"\u0030\#(id.dropFirst())","key":"sob"}"#, false),
        (#"{"channel_id":"c","message_id":"\#(id)","key":"sob","more":0}"#, false),
    ])
    func `the fast path decodes reactions as Codable does`(text: String, isUsual: Bool) throws {
        try compare(text, AddReaction.init(usual:), isUsual: isUsual)
        try compare(text, RemoveReaction.init(usual:), isUsual: isUsual)
    }

    @Test(arguments: [
        (#"{"channel_id":"c"}"#, true), (#"{"channel_id":"c","message_id":"\#(id)"}"#, true),
        (#"{"channel_id":"c","message_id":null}"#, false), (#"{"channel_id":"c","message_id":"7"}"#, false),
        (#"{"message_id":"\#(id)"}"#, false),
    ])
    func `the fast path decodes read markers as Codable does`(text: String, isUsual: Bool) throws {
        try compare(text, MarkRead.init(usual:), isUsual: isUsual)
    }

    @Test(arguments: [
        (#"{"channel_id":"c"}"#, true), (#"{"channel_id":"c","x":1}"#, false), ("{}", false),
    ])
    func `the fast path decodes typing notifications as Codable does`(text: String, isUsual: Bool) throws {
        try compare(text, StartTyping.init(usual:), isUsual: isUsual)
        try compare(text, StopTyping.init(usual:), isUsual: isUsual)
    }

    @Test func `an uncommon, invalid request is refused with the field's name`() {
        let decoder = CommandDecoder(refusesUnknownFields: true)
        func refusal(_ text: String) -> Rejection? {
            do throws(Rejection) {
                _ = try decoder.decode(
                    SendMessage.self, from: Array(text.utf8)[...], mayActAs: false, usual: SendMessage.init(usual:))
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal(#"{"text":"t"}"#) == Rejection(.badRequest, "channel_id is missing"))
        #expect(refusal(#"{"channel_id":"c","text":7}"#) == Rejection(.badRequest, "text has the wrong type"))
        #expect(refusal(#"{"channel_id":"c","text":"t","as_user_id":"ann"}"#)?.code == .serverOnly)
        #expect(refusal(#"{"channel_id":"c","parent_message_id":"x"}"#)?.code == .invalidValue)
    }
}
