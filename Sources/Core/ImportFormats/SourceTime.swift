/// The times of other chats.
package enum SourceTime {
    /// Returns milliseconds since 1970 for a time in seconds or milliseconds; `nil` for 0 and negative numbers, which
    /// mean *never*.
    ///
    /// Numbers below 100 billion are seconds: as seconds they reach the year 5138, as milliseconds only 1973.
    package static func milliseconds(of number: Int64?) -> Int64? {
        guard let number, number > 0 else { return nil }
        return number < 100_000_000_000 ? number * 1_000 : number
    }

    /// Parses a time such as `2021-02-17T08:17:49.745857Z` or `2021-02-17T09:17:49+01:00`. RFC 3339.
    ///
    /// - Returns: Milliseconds since 1970; `nil` for other text, and for years outside 1970–9999.
    package static func milliseconds(of text: String) -> Int64? {
        var reader = Digits(text)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip("T") || reader.skip("t") || reader.skip(" "),
            let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2), reader.skip(":"),
            let second = reader.number(2), year >= 1970, (1...12).contains(month), (1...31).contains(day), hour < 24,
            minute < 60, second <= 60
        else { return nil }
        let fraction = reader.skip(".") ? reader.fraction() : 0
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }
        let minutes = days(year, month, day) * 1_440 + hour * 60 + minute - offset
        let time = Int64(minutes) * 60_000 + Int64(second) * 1_000 + Int64(fraction)
        return (0...253_402_300_799_999).contains(time) ? time : nil
    }

    /// Returns the days from 1970-01-01 to a date of the Gregorian calendar.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        // Years begin in March, so that the leap day is the last one.
        let (year, month) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        return 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468
    }
}

/// A reader for the parts of a time.
private struct Digits {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == character.value else { return false }
        rest = rest.dropFirst()
        return true
    }

    mutating func number(_ count: Int) -> Int? {
        var number = 0
        for _ in 0..<count {
            guard let digit = digit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    /// Returns milliseconds; further digits are cut off.
    mutating func fraction() -> Int {
        var (milliseconds, unit) = (0, 100)
        while let digit = digit() {
            milliseconds += digit * unit
            unit /= 10
        }
        return milliseconds
    }

    /// Returns the minutes by which local time is ahead of UTC; `nil` if there are none.
    mutating func offset() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let sign = skip("+") ? 1 : -1
        guard sign == 1 || skip("-"), let hours = number(2), skip(":"), let minutes = number(2) else { return nil }
        return sign * (hours * 60 + minutes)
    }

    private mutating func digit() -> Int? {
        guard let first = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return nil }
        rest = rest.dropFirst()
        return Int(first - UInt8(ascii: "0"))
    }
}
