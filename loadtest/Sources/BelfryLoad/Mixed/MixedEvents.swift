/// Classifies events of the run by their JSON, without decoding it.
struct MixedEvents: Sendable {
    private let marker: [UInt8]
    private static let kinds: [(RoomLedger.Kind, [UInt8])] = [
        (.message, Array(#","type":"message.new""#.utf8)), (.reply, Array(#","type":"thread.reply""#.utf8)),
        (.reaction, Array(#","type":"reaction.updated""#.utf8)),
    ]

    /// - Parameter run: The prefix of its messages' client ids.
    init(run: String) { marker = Array(#""client_id":"\#(run)-"#.utf8) }

    func kind(of json: [UInt8]) -> RoomLedger.Kind {
        for (kind, text) in Self.kinds where ByteSearch.place(behind: text, in: json) != nil { return kind }
        return .other
    }

    /// - Returns: nil for anything but a message of the run.
    func sequence(in json: [UInt8]) -> Int? {
        guard let start = ByteSearch.place(behind: marker, in: json) else { return nil }
        return Int(String(decoding: json[start...].prefix { (0x30...0x39).contains($0) }, as: UTF8.self))
    }

    /// Finds the id of an acknowledged message or the offset of a marker.
    enum Answer {
        private static let id = Array(#","id":""#.utf8)
        private static let offset = Array(#""offset":"#.utf8)

        static func messageID(in json: [UInt8]) -> String? {
            guard let start = ByteSearch.place(behind: id, in: json) else { return nil }
            let text = String(decoding: json[start...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
            return text.utf8.count == 36 ? text : nil
        }

        /// Returns the offset of `last_read`, the only one in the reply.
        static func readOffset(in json: [UInt8]) -> UInt64? {
            guard let start = ByteSearch.place(behind: offset, in: json) else { return nil }
            return UInt64(String(decoding: json[start...].prefix { (0x30...0x39).contains($0) }, as: UTF8.self))
        }
    }
}
