import BelfryClient
import Foundation
import Glibc
import Testing

@testable import BelfryLoad

struct MessageTextTests {
    private let marker = MessageText.marker(run: "r1")

    @Test func `a text has the requested size and is recognized in an event`() {
        let text = MessageText(sequence: 42, intended: 1_234_567_890_123)
        let encoded = text.encoded(run: "r1", bytes: 300)
        #expect(encoded.utf8.count == 300)
        let json = Array(#"{"at":1,"message":{"text":"\#(encoded)"}}"#.utf8)
        #expect(MessageText(in: json, marker: marker) == text)
    }

    @Test func `the command for a text sends a message`() throws {
        let channel = try #require(ChannelID("c"))
        let plain = MessageText.command("@r:1:2:x", in: channel, clientID: "r-1")
        let send = try JSONDecoder().decode(SendMessage.self, from: Data(plain))
        #expect(send.channelID == channel && send.clientID == "r-1" && send.text == "@r:1:2:x")
        #expect(send.parentMessageID == nil)
        let parent = "01890a5d-ac96-774b-bcce-b302099a8057"
        let answer = MessageText.command("y", in: channel, clientID: "r-2", parent: parent)
        #expect(try JSONDecoder().decode(SendMessage.self, from: Data(answer)).parentMessageID?.description == parent)
    }

    @Test func `a text is longer than requested if its numbers do not fit`() {
        let encoded = MessageText(sequence: 1, intended: 2).encoded(run: "r1", bytes: 1)
        #expect(encoded == "@r1:1:2:")
    }

    @Test(arguments: [
        "", "@r1:", "@r1:1", "@r1:1:", "@r1:1:2", "@r1:x:2:", "@r1::2:", "@r2:1:2:", "@r1:99999999999999999999:1:",
    ])
    func `other texts are not recognized as messages of the run`(text: String) {
        #expect(MessageText(in: Array(text.utf8), marker: marker) == nil)
    }
}

struct ProcessTimeTests {
    @Test func `a process's open descriptors and resource use are measured`() {
        #expect((ProcessTime.descriptors(of: getpid()) ?? 0) > 2)
        #expect((ProcessTime.memory(of: getpid())?.now ?? 0) > 1_000_000)
        #expect(ProcessTime.descriptors(of: -1) == nil)
        #expect(!ProcessTime.resetPeak(of: -1))
    }

    @Test func `the CPU time of an ended thread is counted`() async {
        let before = ProcessTime.seconds(of: getpid()) ?? .infinity
        await withCheckedContinuation { done in
            Thread {
                while Self.ownSeconds < 0.05 {}
                done.resume()
            }.start()
        }
        #expect((ProcessTime.seconds(of: getpid()) ?? 0) >= before + 0.05)
        #expect(ProcessTime.seconds(of: 0) == nil && ProcessTime.seconds(of: -1) == nil)
    }

    /// The CPU seconds of the calling thread.
    private static var ownSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

struct TokensTests {
    @Test func `a token has three parts of base64url`() throws {
        let token = try Tokens(secret: "0123456789abcdef0123456789abcdef").token(for: "ann")
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        #expect(parts.count == 3)
        #expect(parts[0] == "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9")
        #expect(!token.contains("=") && !token.contains("+") && !token.contains("/"))
    }
}
