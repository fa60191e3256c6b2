/// The forms of a text with which rules are compared, each made when the first rule needs it.
struct TextForms {
    private(set) var text: String
    /// Whether the text has only ASCII without invisible characters, and so is its own visible form.
    let isPlain: Bool
    private(set) lazy var folded = FoldedText(text)
    private(set) lazy var visible = VisibleText(visible: text)
    private(set) lazy var links = Links(VisibleText(address: text)).links

    init(_ text: String) {
        self.text = text
        isPlain = self.text.withUTF8 { bytes in
            // Without branches, for which the compiler has vector instructions.
            var others: UInt8 = 0
            for byte in bytes {
                let printable: UInt8 = byte &- 0x20 < 0x5F ? 1 : 0
                let space: UInt8 = byte &- 0x09 < 5 ? 1 : 0
                others |= (printable | space) ^ 1
            }
            return others == 0
        }
    }

    mutating func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result { text.withUTF8(body) }
}
