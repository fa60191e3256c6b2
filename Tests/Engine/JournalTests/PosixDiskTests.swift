import Glibc
import Journal
import Testing

@Suite struct PosixDiskTests {
    private func withDisk(_ body: (PosixDisk) throws -> Void) throws {
        var template = Array("/tmp/belfry-disk-XXXXXX".utf8CString)
        let folder = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap(mkdtemp).map { String(cString: $0) }
        }
        let disk = try PosixDisk(folder: try #require(folder))
        defer {
            for name in (try? disk.names()) ?? [] { try? disk.remove(name) }
            rmdir(folder ?? "")
        }
        try body(disk)
    }

    @Test(arguments: [1, 1_000, 262_143, 262_144, 262_145, 600_000])
    func `preallocated space contains the written bytes, followed by zeros`(step: Int) throws {
        try withDisk { disk in
            let file = try disk.create("f")
            try file.allocate(1_000_000)
            var end = 0
            for byte in [1, 2, 3] as [UInt8] where end + step <= 1_000_000 {
                try file.write(Array(repeating: byte, count: step), at: end)
                try file.sync()
                end += step
                let bytes = try disk.read("f")
                #expect(bytes.count == 1_000_000)
                #expect(bytes[..<end].allSatisfy { $0 != 0 } && bytes[end...].allSatisfy { $0 == 0 })
                #expect(bytes[end - 1] == byte)
            }
            // A write at an earlier offset keeps the bytes after it.
            try file.write([9], at: 0)
            #expect(try disk.read("f").prefix(end).filter { $0 == 9 } == [9])
            try file.truncate(to: end)
            #expect(try disk.read("f").count == end)
            try file.write([7, 7], at: end)
            #expect(try disk.read("f").suffix(3).elementsEqual([step == 600_000 ? 1 : 3, 7, 7]))
            #expect(try disk.read("f").count == end + 2)
        }
    }

    @Test func `a file without preallocated space is as long as its written bytes`() throws {
        try withDisk { disk in
            let file = try disk.create("f")
            try file.write([1, 2, 3], at: 0)
            try file.write([4], at: 3)
            #expect(try disk.read("f") == [1, 2, 3, 4])
        }
    }
}
