import Belfry
import Testing
import Transport
import WebSocketCodec
import WireProtocol

/// Returns the messages received by a client that negotiated the extension.
private func messages(in frames: [UInt8], windowBits: Int = 12) throws -> [String] {
    var receiver = WebSocketReceiver(
        role: .client, limits: WebSocketLimits(messageBytes: .max, frameBytes: .max),
        deflate: DeflateParameters(serverNoContextTakeover: true, serverMaxWindowBits: windowBits))
    frames.withUnsafeBytes { receiver.feed($0) }
    var messages: [String] = []
    while let event = try receiver.next() {
        switch event {
        case .text(let bytes), .binary(let bytes): messages.append(String(decoding: bytes, as: UTF8.self))
        default: continue
        }
    }
    #expect(receiver.bufferedBytes == 0)
    return messages
}

private func isCompressed(_ frame: [UInt8]) -> Bool { frame.first == 0xC1 }

@Suite struct MessageCompressorTests {
    private let registry = PrometheusRegistry()

    private func compressor(_ change: (inout CompressionOptions) -> Void = { _ in }) -> MessageCompressor {
        var options = CompressionOptions()
        change(&options)
        return MessageCompressor(options, metrics: CompressionMetrics(registry))
    }

    private func envelope(_ bytes: Int, _ number: Int = 0) -> [UInt8] {
        let text = Array("{\"push\":{\"number\":\(number),\"text\":\"".utf8)
        let end = Array("\"}}".utf8)
        return text + [UInt8](repeating: 0x61, count: max(0, bytes - text.count - end.count)) + end
    }

    @Test func `an envelope is compressed if it reaches the threshold`() throws {
        let compressor = compressor()
        for size in [40, 511, 512, 5_000, 262_144] {
            let frame = compressor.frame(envelope(size), .json)
            #expect(try messages(in: frame) == [String(decoding: envelope(size), as: UTF8.self)])
            #expect(isCompressed(frame) == (size >= 512), "\(size)")
        }
        #expect(!isCompressed(compressor.frame(envelope(262_145), .json)), "a turn has other things to do")
    }

    @Test func `each message is compressed independently, in the negotiated window`() throws {
        for windowBits in 9...15 {
            let compressor = compressor {
                $0.windowBits = windowBits
                $0.level = 9
            }
            var generator = SystemRandomNumberGenerator()
            let block = (0..<600).map { _ in UInt8.random(in: 0x61...0x7A, using: &generator) }
            let message = block + envelope(30_000) + block
            for _ in 0..<3 {
                #expect(
                    try messages(in: compressor.frame(message, .json), windowBits: windowBits)
                        == [String(decoding: message, as: UTF8.self)])
            }
        }
    }

    @Test func `a batch's envelopes are sent in one message, one per line`() throws {
        let envelopes = (1...10).map { envelope(300, $0) }
        let batch = envelopes.flatMap(FrameEncoder.text)
        let frames = try #require(compressor().frames(batch, .json))
        #expect(isCompressed(frames) && frames.count < batch.count / 4)
        let lines = envelopes.map { String(decoding: $0, as: UTF8.self) }
        #expect(try messages(in: frames) == [lines.joined(separator: "\n")])
    }

    @Test func `a large batch becomes several messages, in order`() throws {
        let sizes = [100, 40_000, 30_000, 70_000, 126, 125, 65_535, 65_536, 300_000, 10]
        let envelopes = sizes.enumerated().map { envelope($1, $0) }
        let frames = try #require(compressor().frames(envelopes.flatMap(FrameEncoder.text), .json))
        let heard = try messages(in: frames)
        #expect(heard.count > 4 && heard.count < envelopes.count)
        let lines = envelopes.map { String(decoding: $0, as: UTF8.self) }
        #expect(heard.joined(separator: "\n") == lines.joined(separator: "\n"))
        for message in heard where message.contains("\n") {
            #expect(message.utf8.count <= MessageCompressor.joinedBytes)
        }
    }

    @Test func `a batch that would not shrink is unchanged`() {
        let compressor = compressor()
        #expect(compressor.frames(FrameEncoder.text(envelope(400)), .json) == nil)
        #expect(compressor.frames([], .json) == nil)
        var generator = SystemRandomNumberGenerator()
        let noise = (0..<2_000).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        #expect(compressor.frames(FrameEncoder.text(noise), .json) == nil)
        #expect(!isCompressed(compressor.frame(noise, .json)))
    }

    private func binary(_ envelope: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = []
        FrameEncoder.append(.binary, payload: envelope, to: &frame)
        return frame
    }

    @Test func `anything other than complete frames of the expected form is left unchanged`() {
        let compressor = compressor()
        for (form, frame, other) in [
            (WireForm.json, FrameEncoder.text(envelope(2_000)), binary(envelope(2_000))),
            (.protobuf, binary(envelope(2_000)), FrameEncoder.text(envelope(2_000))),
        ] {
            #expect(compressor.frames(frame, form) != nil)
            #expect(compressor.frames(other, form) == nil)
            #expect(compressor.frames(frame + other, form) == nil)
            #expect(compressor.frames(Array(frame.dropLast()), form) == nil)
            #expect(compressor.frames(frame + [frame[0]], form) == nil)
            #expect(compressor.frames(frame + compressor.frame(envelope(2_000), form), form) == nil)
        }
    }

    @Test func `Protobuf envelopes share a binary message, one after the other`() throws {
        let envelopes = (1...10).map { envelope(300, $0) }
        let frames = try #require(compressor().frames(envelopes.flatMap(binary), .protobuf))
        #expect(frames.first == 0xC2, "RSV1 and binary")
        #expect(try messages(in: frames) == [String(decoding: envelopes.joined(), as: UTF8.self)])
        let one = compressor().frame(envelope(2_000), .protobuf)
        #expect(one.first == 0xC2)
        #expect(try messages(in: one) == [String(decoding: envelope(2_000), as: UTF8.self)])
        #expect(compressor().frame(envelope(100), .protobuf) == binary(envelope(100)))
    }

    @Test func `bytes before and after compression are each counted once`() throws {
        let compressor = compressor()
        let frames = try #require(compressor.frames(FrameEncoder.text(envelope(2_000)), .json))
        _ = compressor.frame(envelope(100), .json)
        let text = registry.text()
        #expect(text.contains("belfry_deflate_bytes_in_total 2000\n"))
        #expect(text.contains("belfry_deflate_bytes_out_total \(frames.count - 2)\n"))
    }
}
