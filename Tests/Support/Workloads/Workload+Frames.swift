import WebSocketCodec

extension Workload {
    /// A text of 306 bytes, with a few characters beyond ASCII.
    static let usualText = Array(String(repeating: "a usual message, naïve and short ", count: 9).utf8)

    static let frames = [
        Workload("frame: unmask, check and take apart, 306 bytes") {
            var frame: [UInt8] = []
            FrameEncoder.append(.text, payload: usualText, maskedBy: MaskingKey(1, 2, 3, 4), to: &frame)
            var receiver = WebSocketReceiver(role: .server)
            return {
                frame.withUnsafeBytes { receiver.feed($0) }
                guard case .text = try receiver.next(), try receiver.next() == nil else { throw Unexpected() }
            }
        },
        Workload("frame: make, 306 bytes") { { keep(FrameEncoder.text(usualText)) } },
        Workload("unmask 64 KiB") {
            var bytes = [UInt8](repeating: 0x61, count: 65_536)
            return { bytes.withUnsafeMutableBytes { MaskingKey(1, 2, 3, 4).apply(to: $0) } }
        },
        Workload("UTF-8: check 64 KiB") {
            let bytes = Array(String(repeating: "naïve ", count: 9_362).utf8)
            return { if !UTF8Validator.isValid(bytes.span) { throw Unexpected() } }
        },
    ]
}
