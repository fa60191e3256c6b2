/// One event of a room as it is sent: `{"offset":42,"data":{…}}`, the object inside `push.pub`.
package struct Publication: Equatable, Sendable {
    /// 0 for events that are not stored.
    package let offset: UInt64
    /// The event's JSON.
    package let data: [UInt8]

    package init(offset: UInt64 = 0, data: [UInt8]) {
        self.offset = offset
        self.data = data
    }

    /// Bytes around the data in either form, at most.
    package static let wrapperBytes = 40

    /// Bytes in either form, at most.
    package var largestSize: Int { data.count + Self.wrapperBytes }

    func write(to writer: inout JSONWriter) {
        if offset > 0 { writer.field("offset", offset) }
        writer.raw("data", data)
    }

    func write(to writer: inout ProtoWriter) {
        writer.data(4, data[...])
        writer.number(6, offset)
    }
}
