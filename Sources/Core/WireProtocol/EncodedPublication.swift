/// One event as it is sent and stored: `{"offset":42,"data":{…}}`, the object inside `push.pub`, encoded once.
///
/// The Protobuf form has the same two fields, so it is written from these bytes too.
package struct EncodedPublication: Equatable, Sendable {
    /// 0 for events that are not stored.
    package let offset: UInt64
    /// The JSON object.
    package let json: [UInt8]

    /// - Parameters:
    ///   - offset: 0 for events that are not stored.
    ///   - data: JSON of the event.
    package init(offset: UInt64 = 0, data: [UInt8]) {
        var writer = JSONWriter(capacity: data.count + 40)
        writer.object {
            if offset > 0 { $0.field("offset", offset) }
            $0.raw("data", data)
        }
        self.offset = offset
        json = writer.bytes
    }

    /// Restores a stored event.
    ///
    /// - Parameter json: As written by the other initializer for this offset.
    package init(offset: UInt64, json: [UInt8]) {
        self.offset = offset
        self.json = json
    }

    /// The event's own JSON.
    package var data: ArraySlice<UInt8> {
        json.dropFirst((offset > 0 ? #"{"offset":,"#.utf8.count + digits : 1) + #""data":"#.utf8.count).dropLast()
    }

    private var digits: Int {
        var count = 1
        var rest = offset / 10
        while rest > 0 {
            count += 1
            rest /= 10
        }
        return count
    }
}
