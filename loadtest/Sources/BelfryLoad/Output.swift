import Foundation

/// A table for people, and JSON for machines where it is asked for.
enum Output {
    /// - Parameter path: A file; `-` for JSON on standard output in the table's stead.
    static func write(table: String, of result: some Encodable, to path: String?) throws {
        if path != "-" { try FileHandle.standardOutput.write(contentsOf: Data(table.utf8)) }
        guard let path else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let data = try encoder.encode(result) + Data("\n".utf8)
        if path == "-" {
            try FileHandle.standardOutput.write(contentsOf: data)
        } else {
            try data.write(to: URL(fileURLWithPath: path))
        }
    }
}
