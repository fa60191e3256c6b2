import BelfryClient

/// The text of a test message: its number and intended time, padded to a size.
///
///     @<run>:<sequence>:<intended>:xxxx…
///
/// `run` distinguishes it from other messages in the channel, `sequence` counts from 0, and `intended` is in
/// nanoseconds of the monotonic clock.
struct MessageText: Equatable {
    var sequence: Int
    var intended: UInt64

    /// - Parameter bytes: The size of the text, which can be longer to fit its numbers.
    func encoded(run: String, bytes: Int) -> String {
        let head = "@\(run):\(sequence):\(intended):"
        return head + String(repeating: "x", count: max(0, bytes - head.utf8.count))
    }

    init(sequence: Int, intended: UInt64) {
        self.sequence = sequence
        self.intended = intended
    }

    /// Finds the text in the JSON of an event, without decoding it.
    ///
    /// - Parameter marker: `@<run>:`
    init?(in json: [UInt8], marker: [UInt8]) {
        guard let text = json.withUnsafeBytes({ MessageText(in: $0, marker: marker) }) else { return nil }
        self = text
    }

    init?(in json: UnsafeRawBufferPointer, marker: [UInt8]) {
        let colon = UInt8(ascii: ":")
        guard var index = ByteSearch.place(behind: marker, in: json),
            let sequence = ByteSearch.number(in: json, &index, until: colon),
            let intended = ByteSearch.number(in: json, &index, until: colon), let sequence = Int(exactly: sequence)
        else { return nil }
        self.init(sequence: sequence, intended: intended)
    }

    /// Returns the JSON of a send command. None of the parts needs escaping.
    ///
    /// - Parameter parent: The message replied to, if any.
    static func command(_ text: String, in channel: ChannelID, clientID: String, parent: String? = nil) -> [UInt8] {
        let parent = parent.map { #""parent_message_id":"\#($0)","# } ?? ""
        return Array(#"{"channel_id":"\#(channel)","client_id":"\#(clientID)",\#(parent)"text":"\#(text)"}"#.utf8)
    }

    static func marker(run: String) -> [UInt8] { Array("@\(run):".utf8) }
}
