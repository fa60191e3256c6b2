import Foundation

/// Processor time taken by other machines on the same host, as counted by Linux (`steal`, proc(5)).
enum StolenTime {
    /// Returns the seconds of all cores since the machine started; `nil` if unavailable.
    static func now() -> Double? {
        // Files in /proc report no size, so read to the end.
        guard let file = FileHandle(forReadingAtPath: "/proc/stat") else { return nil }
        defer { try? file.close() }
        guard let bytes = try? file.readToEnd(), let ticks = ticks(in: String(decoding: bytes, as: UTF8.self)) else {
            return nil
        }
        return Double(ticks) / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
    }

    /// Returns the eighth number of the line for all cores.
    static func ticks(in text: String) -> UInt64? {
        guard let line = text.split(separator: "\n").first else { return nil }
        let words = line.split(separator: " ")
        guard words.first == "cpu", words.count > 8 else { return nil }
        return UInt64(words[8])
    }
}
