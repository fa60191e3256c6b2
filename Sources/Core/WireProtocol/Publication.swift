/// An event of a room in its wire format, `{"offset":42,"data":{…}}`: the value of `push.pub`.
package struct Publication: Equatable, Sendable {
    /// The event's offset in its room; 0 for events that are not stored.
    package let offset: UInt64
    /// The event as JSON.
    package let data: [UInt8]

    package init(offset: UInt64 = 0, data: [UInt8]) {
        self.offset = offset
        self.data = data
    }

    /// The maximum number of bytes around the data, in either form.
    package static let wrapperBytes = 40

    /// The maximum size in bytes, in either form.
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
