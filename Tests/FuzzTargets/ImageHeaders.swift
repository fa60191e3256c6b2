/// Reads the first bytes of an upload: yields a plausible size or none, never a trap.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let header = ImageHeader(Array(UnsafeBufferPointer(start: start, count: count))) else { return 0 }
    guard header.width > 0, header.height > 0, header.pixels / header.width == header.height else {
        fatalError("\(header)")
    }
    return 0
}
