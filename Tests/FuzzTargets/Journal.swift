// Replaces Journal in a plain `swiftc` build: the messages of a copy need names and checksums only.

public struct JournalPieces: Equatable, Sendable {
    public struct File: Equatable, Sendable {
        public let name: String
        public let size: Int

        public init(name: String, size: Int) {
            self.name = name
            self.size = size
        }
    }

    public let files: [File]
    public let last: UInt64

    public init(files: [File], last: UInt64) {
        self.files = files
        self.last = last
    }

    public static func isPiece(_ name: String) -> Bool { name.hasSuffix(".journal") }

    public static func checksum(_ bytes: [UInt8]) -> UInt32 { bytes.reduce(0) { $0 &* 31 &+ UInt32($1) } }
}
