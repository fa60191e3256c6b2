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
            guard listener.takesCompressed else { return plain }
            let made = compressed ?? compress(plain, form)
            compressed = .some(made)
            return made ?? plain
        }
    }

    /// One envelope as a frame of each form, encoded when the first listener needs that form.
    struct Frames {
        private let envelope: ServerEnvelope
        private var made: [WireForm: [UInt8]] = [:]

        init(_ envelope: ServerEnvelope) { self.envelope = envelope }

        mutating func bytes(_ form: WireForm, _ frame: ([UInt8], WireForm) -> [UInt8]) -> [UInt8] {
            if let bytes = made[form] { return bytes }
            let bytes = frame(envelope.encoded(as: form), form)
            made[form] = bytes
            return bytes
        }
    }
}
