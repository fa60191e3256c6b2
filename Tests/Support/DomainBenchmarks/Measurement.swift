import Foundation

/// A table whose lines are printed immediately.
enum Table {
    static func head(_ title: String, _ unit: String) {
        print("\n| \(title) | n | \(unit) |\n|---|---:|---:|")
    }

    static func row(_ name: String, _ count: Int, _ value: String) { print("| \(name) | \(count) | \(value) |") }
}

/// Runs a body `count` times on this thread, and prints the rate per second of processor time as a row.
func rate(_ name: String, _ count: Int, _ body: (Int) throws -> Void) rethrows {
    let begin = processorSeconds()
    for index in 0..<count { try body(index) }
    let seconds = max(processorSeconds() - begin, 1e-9)
    Table.row(name, count, String(format: "%.0f", Double(count) / seconds))
}

/// Prints the resident bytes that a body adds per item, where it creates `count` items.
func weight(_ name: String, _ count: Int, _ body: () throws -> Void) rethrows {
    let begin = residentBytes()
    try body()
    Table.row(name, count, String(format: "%.0f", Double(residentBytes() - begin) / Double(count)))
}

private func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Returns the resident bytes from the kernel: the second number in `/proc/self/statm`, in pages.
private func residentBytes() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
}
