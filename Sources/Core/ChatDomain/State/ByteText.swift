import ChatModel

/// A text that is hashed and compared by its bytes. `String` brings both texts into their normal form each time, which
/// takes microseconds for a letter with many marks.
struct ByteText: Hashable {
    let text: String

    init(_ text: String) {
        var text = text
        text.makeContiguousUTF8()
        self.text = text
    }

    static func == (a: Self, b: Self) -> Bool { ByteOrder.areSame(a.text, b.text) }

    func hash(into hasher: inout Hasher) {
        text.utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
