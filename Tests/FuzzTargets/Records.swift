// Replaces Records in a plain `swiftc` build: the messages of a cluster need its versions only.

public enum RecordCoder {
    public static let version: UInt32 = 6
    public static let oldestWritten: UInt32 = 4
}
