/// The message's ids in the reply to a send, found in the JSON without decoding it.
///
///     {"message":{"channel_id":…,"client_id":"3-17",…,"offset":42,…}}
struct Acknowledgement: Equatable {
    var clientID: String
    /// The message's offset in the channel.
    var offset: UInt64

    private static let clientIDField = Array(#","client_id":""#.utf8)
    private static let offsetField = Array(#","offset":"#.utf8)

    /// - Returns: `nil` if the reply is not for a stored message.
    init?(in json: [UInt8]) {
        guard let name = ByteSearch.place(behind: Self.clientIDField, in: json),
            let nameEnd = json[name...].firstIndex(of: UInt8(ascii: "\"")),
            let number = ByteSearch.place(behind: Self.offsetField, in: json, from: nameEnd)
        else { return nil }
        let digits = json[number...].prefix { (0x30...0x39).contains($0) }
        guard let offset = UInt64(String(decoding: digits, as: UTF8.self)), offset > 0 else { return nil }
        clientID = String(decoding: json[name..<nameEnd], as: UTF8.self)
        self.offset = offset
    }
}
