// Replaces Records in a plain `swiftc` build: the messages of a cluster need its version only.

public enum RecordCoder {
    public static let version: UInt32 = 4
}
