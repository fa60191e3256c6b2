import ChatModel
import Glibc
import ImportFormats
import WireProtocol

/// A file of an import, read line by line or object by object, without holding it in memory.
struct ImportFile {
    /// The size of the longest line in bytes.
    static let lineLimit = 262_144
    /// The size of the largest object of another chat's export in bytes: a channel with all its messages.
    static let elementLimit = 67_108_864
    private static let chunk = 65_536

    private let path: String
    private let descriptor: Descriptor
    private var bytes: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    /// The number of the current line or object, counted from 1.
    private var number = 0
    /// Of Belfry's own format: whether the file is an export, and whether it is complete.
    private var isExport = false
    private var hasEnd = false
    /// Of other formats; `nil` for lines.
    private var converter: (any ImportConverter)?
    private var elements = JSONElements(lists: [], limit: 0)
    /// The lines of the current objects that were not returned yet, last first.
    private var waiting: [PlacedLine] = []

    /// Closes the file with the last copy of the reader.
    private final class Descriptor {
        let number: Int32
        init(_ number: Int32) { self.number = number }
        deinit { close(number) }
    }

    init(_ path: String, _ format: DataFolderTools.ImportFormat) throws(ConfigurationError) {
        self.path = path
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Self.unreadable(path, code: errno) }
        descriptor = Descriptor(file)
        switch format {
        case .belfry: break
        case .sendbird: convert(with: SendbirdConverter())
        case .stream: convert(with: StreamConverter())
        }
    }

    private mutating func convert<Converter: ImportConverter>(with converter: Converter) {
        self.converter = converter
        elements = JSONElements(lists: Converter.lists, limit: Self.elementLimit)
    }

    static func unreadable(_ path: String, code: Int32) -> ConfigurationError {
        ConfigurationError("cannot read \"\(path)\": \(String(cString: strerror(code)))", exitCode: EX_NOINPUT)
    }

    /// - Returns: `nil` at the end of the file.
    /// - Throws: For a line or object that is too long, no JSON object, or lacks what its type requires.
    mutating func next() throws(ConfigurationError) -> PlacedLine? {
        if converter == nil { return try nextLine() }
        while waiting.isEmpty, !isAtEnd { try readObjects() }
        return waiting.popLast()
    }

    /// - Throws: When the file is an export without its last line, which is incomplete.
    func checkEnd() throws(ConfigurationError) {
        guard isExport, !hasEnd else { return }
        throw ConfigurationError(
            "\"\(path)\" is incomplete: the last line of an export has the type \"end\"", exitCode: EX_DATAERR)
    }

    private var place: String { "\"\(path)\" \(converter == nil ? "line" : "object") \(number)" }

    private func failure(_ problem: String) -> ConfigurationError {
        ConfigurationError("\(place): \(problem)", exitCode: EX_DATAERR)
    }

    // MARK: Lines

    private mutating func nextLine() throws(ConfigurationError) -> PlacedLine? {
        while let text = try nextText() {
            guard text.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) else { continue }
            let line: ImportLine
            do {
                line = try WireDecoder().decode(ImportLine.self, from: try JSONFields(text))
            } catch is JSONSyntaxError {
                throw failure("not a JSON object, or not valid UTF-8")
            } catch {
                throw failure(ConversionFailure(decoding: error).problem)
            }
            if line.type == "export" { isExport = true }
            if line.type == "end" { hasEnd = true }
            return PlacedLine(line: line, place: place, size: text.count)
        }
        return nil
    }

    /// Returns the bytes up to the next line feed.
    private mutating func nextText() throws(ConfigurationError) -> ArraySlice<UInt8>? {
        var searched = start
        while true {
            if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                number += 1
                defer { start = end + 1 }
                guard end - start <= Self.lineLimit else { throw tooLong }
                return bytes[start..<end]
            }
            searched = bytes.count
            guard bytes.count - start <= Self.lineLimit else {
                number += 1
                throw tooLong
            }
            guard !isAtEnd else {
                guard start < bytes.count else { return nil }
                number += 1
                defer { start = bytes.count }
                return bytes[start...]
            }
            if start > 0 {
                bytes.removeSubrange(..<start)
                (searched, start) = (bytes.count, 0)
            }
            bytes += try readChunk()
        }
    }

    private var tooLong: ConfigurationError { failure("longer than \(Self.lineLimit) bytes") }

    // MARK: Objects

    /// Reads a part of the file, and converts the objects that it completes.
    private mutating func readObjects() throws(ConfigurationError) {
        let chunk = try readChunk()
        var found: [[UInt8]] = []
        do throws(JSONElements.Failure) {
            try elements.read(chunk) { found.append($0) }
            if isAtEnd { try elements.end() }
        } catch {
            throw failure(after: found.count, error)
        }
        for element in found {
            number += 1
            let fields: JSONFields
            do throws(JSONSyntaxError) { fields = try JSONFields(element) } catch {
                throw failure("not a JSON object, or not valid UTF-8")
            }
            do throws(ConversionFailure) {
                let lines = try converter?.lines(of: fields) ?? []
                let size = element.count / max(1, lines.count)
                waiting += lines.map { PlacedLine(line: $0, place: place, size: size) }
            } catch {
                throw failure(error.problem)
            }
        }
        waiting.reverse()
    }

    private mutating func failure(after found: Int, _ error: JSONElements.Failure) -> ConfigurationError {
        number += found + 1
        switch error {
        case .tooLong(let limit): return failure("longer than \(limit) bytes")
        case .unexpectedByte: return failure("the file is not a list of JSON objects")
        case .unfinished: return failure("the file ends within it")
        }
    }

    // MARK: Reading

    /// - Returns: The next bytes; empty at the end of the file.
    private mutating func readChunk() throws(ConfigurationError) -> [UInt8] {
        while true {
            var code: Int32 = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: Self.chunk) { buffer, count in
                let result = read(descriptor.number, buffer.baseAddress, buffer.count)
                if result < 0 { code = errno }
                count = max(0, result)
            }
            if code == EINTR { continue }
            guard code == 0 else { throw Self.unreadable(path, code: code) }
            isAtEnd = chunk.isEmpty
            return chunk
        }
    }
}
