/// Guests: users without an account, whose ids the server generates.
///
///     guest-0123456789abcdef0123456789abcdef      128 random bits, lower case
///
/// The form of the id limits what a guest may do and makes the guest expire after a long absence, so no other user may
/// have such an id.
extension UserID {
    private static let guestPrefix = "guest-"
    private static let guestBytes = 38

    /// - Parameters: 128 random bits.
    public static func guest(_ high: UInt64, _ low: UInt64) -> UserID {
        guard let id = UserID(guestPrefix + hexadecimal(high) + hexadecimal(low)) else {
            preconditionFailure("38 characters without controls are a user id")
        }
        return id
    }

    /// Whether the id has the form of a guest id.
    public var isGuest: Bool {
        let text = rawValue.utf8
        // Compare the size first: this runs for every user who sends anything.
        guard text.count == Self.guestBytes, text.starts(with: Self.guestPrefix.utf8) else { return false }
        return text.dropFirst(Self.guestPrefix.utf8.count).allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
    }

    /// `Guest 0123`, from the first random bits: the name of a guest who chooses none or no longer exists.
    public var guestName: String? {
        guard isGuest else { return nil }
        return "Guest " + rawValue.dropFirst(Self.guestPrefix.count).prefix(4)
    }

    private static func hexadecimal(_ bits: UInt64) -> String {
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
