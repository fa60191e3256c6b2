import WireProtocol

extension LoopHub {
    /// Frames in plain form, compressed on first use for listeners that accept that.
    struct Compressible {
        let plain: [UInt8]
        let form: WireForm
        /// Nil until first requested.
        private var compressed: [UInt8]??

        init(_ plain: [UInt8], _ form: WireForm) {
            self.plain = plain
            self.form = form
        }

        mutating func frames(for listener: any Listener, _ compress: ([UInt8], WireForm) -> [UInt8]?) -> [UInt8] {
            guard listener.acceptsCompressed else { return plain }
            let frames = compressed ?? compress(plain, form)
            compressed = .some(frames)
            return frames ?? plain
        }
    }

    /// One envelope as a frame of each form, encoded when the first listener needs that form.
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
