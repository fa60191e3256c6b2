/// A formatter for HTTP dates such as `Sun, 06 Nov 1994 08:49:37 GMT` (IMF-fixdate). RFC 9110 §5.6.7.
package enum HTTPDate {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// - Parameter seconds: The time in seconds since 1970 UTC, clamped to the years 1970–9999.
    package static func text(secondsSince1970 seconds: Int64) -> String {
        let seconds = Int(min(max(seconds, 0), 253_402_300_799))
        let (days, time) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let (year, month, day) = civil(days)
        return "\(weekdays[days % 7]), \(twoDigits(day)) \(months[month - 1]) \(year) "
            + "\(twoDigits(time / 3_600)):\(twoDigits(time / 60 % 60)):\(twoDigits(time % 60)) GMT"
    }

    /// Converts days since 1 January 1970 to a year, month (1–12) and day (1–31) of the Gregorian calendar.
    ///
    /// Years start in March internally, so that the leap day comes last.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468  // Since 1 March of year 0.
        let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: 146_097)  // Eras of 400 years.
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153  // 0 is March.
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
