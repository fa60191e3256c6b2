import WireProtocol

extension LoopHub {
    /// Frames that are compressed for the first listener that accepts compression.
    struct Compressible {
        let plain: [UInt8]
        let form: WireForm
        /// The result of compression, nil if it did not help; the outer optional is nil until first requested.
        private var compressed: [UInt8]??

        init(_ plain: [UInt8], _ form: WireForm) {
            self.plain = plain
            self.form = form
        }

        mutating func frames(for listener: any Listener, _ compress: ([UInt8], WireForm) -> [UInt8]?) -> [UInt8] {
            guard listener.acceptsCompression else { return plain }
            let frames = compressed ?? compress(plain, form)
            compressed = .some(frames)
            return frames ?? plain
        }
    }

    /// An envelope that is encoded as a frame of each form for the first listener that needs that form.
    struct Frames {
        private let envelope: ServerEnvelope
        private var encoded: [WireForm: [UInt8]] = [:]

        init(_ envelope: ServerEnvelope) { self.envelope = envelope }

        mutating func bytes(_ form: WireForm, _ appendFrame: AppendFrame) -> [UInt8] {
            if let bytes = encoded[form] { return bytes }
            var bytes: [UInt8] = []
            appendFrame(envelope.encoded(as: form), form, &bytes)
            encoded[form] = bytes
            return bytes
        }
    }
}
