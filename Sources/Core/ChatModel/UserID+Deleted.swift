/// Aliases: the ids that stand for deleted users as the authors of what stays (`PR1`).
///
///     deleted:0123456789abcdef      62 random bits, lower case
///
/// No user may have such an id.
extension UserID {
    private static let deletedPrefix = "deleted:"
    private static let deletedBytes = 24

    /// - Parameter random: Random bits; the lowest 62 are used.
    public static func deleted(_ random: UInt64) -> UserID {
        let digits = String(random & 0x3FFF_FFFF_FFFF_FFFF, radix: 16)
        guard let id = UserID(deletedPrefix + String(repeating: "0", count: 16 - digits.count) + digits) else {
            preconditionFailure("24 characters without controls are a user id")
        }
        return id
    }

    /// Whether the id has the form of an alias.
    public var isDeleted: Bool {
        let text = rawValue.utf8
        // Compare the size first: this runs for every user who is shown.
        guard text.count == Self.deletedBytes, text.starts(with: Self.deletedPrefix.utf8) else { return false }
        return text.dropFirst(Self.deletedPrefix.utf8.count).allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
    }
}
