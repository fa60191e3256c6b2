#if Cluster
/// The time at which JetStream stored a message, as its headers tell it: `2026-11-28T00:48:37.123456789Z`.
enum StreamTime {
    /// - Returns: Milliseconds since 1970; nil for any other text.
    static func milliseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard (20...30).contains(bytes.count), bytes.last == UInt8(ascii: "Z"),
            [4, 7].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }), bytes[10] == UInt8(ascii: "T"),
            [13, 16].allSatisfy({ bytes[$0] == UInt8(ascii: ":") }),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
            (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        var fraction: Int64 = 0
        if bytes.count > 20 {
            guard bytes[19] == UInt8(ascii: "."), bytes.count > 21 else { return nil }
            // JetStream leaves out zeros at the end.
            let digits = bytes[20..<bytes.count - 1]
            guard digits.allSatisfy({ number([$0][...]) != nil }),
                let thousandths = number((Array(digits) + [48, 48])[..<3])
            else { return nil }
            fraction = thousandths
        } else {
            guard bytes[19] == UInt8(ascii: "Z") else { return nil }
        }
        let seconds = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second
        return seconds * 1_000 + fraction
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        digits.reduce(0) { value, digit in
            guard let value, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            return value * 10 + Int64(digit - UInt8(ascii: "0"))
        }
    }

    /// The days from 1970-01-01 to a date of the Gregorian calendar. Years are counted from March, so that the day that may
    /// be missing comes last.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month > 2 ? year : year - 1
        let month = month > 2 ? month - 3 : month + 9
        return year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 719_469
    }
}
#endif
