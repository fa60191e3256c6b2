// Compiled together with ImportFormats, with ChatModel and WireProtocol as modules, by Tests/fuzz.
//
//     first byte: the format | a file of another chat's export, or a line of Belfry's
import ChatModel
import WireProtocol

/// Yields lines or a reason, never a trap. The objects of a file are the same wherever it is cut.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzImportFiles(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    guard let format = bytes.first else { return 0 }
    let file = bytes.dropFirst()
    switch format & 3 {
    case 0: convert(file, with: SendbirdConverter())
    case 1: convert(file, with: StreamConverter())
    case 2:
        if let fields = try? JSONFields(file) { _ = try? WireDecoder().decode(ImportLine.self, from: fields) }
    default:
        let time = SourceTime.milliseconds(of: String(decoding: file, as: UTF8.self))
        precondition((time ?? 0) >= 0 && (time ?? 0) < 253_402_300_800_000, "no time of the years 1970 to 9999")
    }
    return 0
}

private func convert<Converter: ImportConverter>(_ file: ArraySlice<UInt8>, with converter: Converter) {
    var converter = converter
    let whole = objects(of: file, Converter.lists, cut: .max)
    precondition(objects(of: file, Converter.lists, cut: 1) == whole, "not the same objects")
    for object in whole {
        guard let fields = try? JSONFields(object), let lines = try? converter.lines(of: fields) else { continue }
        for line in lines { precondition(!line.type.isEmpty, "a line without a type") }
    }
}

private func objects(of file: ArraySlice<UInt8>, _ lists: [String], cut: Int) -> [[UInt8]] {
    var elements = JSONElements(lists: lists, limit: 1_000)
    var found: [[UInt8]] = []
    var rest = file
    while !rest.isEmpty {
        do { try elements.read(rest.prefix(cut)) { found.append($0) } } catch { return found }
        rest = rest.dropFirst(cut)
    }
    return found
}
