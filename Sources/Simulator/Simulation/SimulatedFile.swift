import Glibc
import Journal

/// A file of a simulated disk, open for writing.
final class SimulatedFile: DiskFile {
    private let disk: SimulatedDisk
    private let index: Int
    private let name: String

    init(disk: SimulatedDisk, index: Int, name: String) {
        self.disk = disk
        self.index = index
        self.name = name
    }

    func allocate(_ size: Int) throws(DiskError) {
        try disk.operate("posix_fallocate", name) { state throws(DiskError) in
            let added = max(0, size - state.contents[index].current.count)
            guard state.size + added <= state.capacity else {
                throw DiskError(operation: "posix_fallocate", path: name, code: ENOSPC)
            }
            state.contents[index].current = state.contents[index].current.padded(to: size)
            state.contents[index].isSizeDirty = true
        }
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(DiskError) {
        do throws(DiskError) {
            try put(bytes, at: offset)
        } catch {
            // A failed write may have written part of its bytes.
            disk.writeUnreported(bytes[..<(bytes.count / 2)], at: offset, of: index)
            throw error
        }
    }

    private func put(_ bytes: [UInt8], at offset: Int) throws(DiskError) {
        try disk.operate("pwrite", name) { state throws(DiskError) in
            let added = max(0, offset + bytes.count - state.contents[index].current.count)
            guard added == 0 || state.size + added <= state.capacity else {
                throw DiskError(operation: "pwrite", path: name, code: ENOSPC)
            }
            state.contents[index].put(bytes, at: offset)
        }
    }

    func truncate(to size: Int) throws(DiskError) {
        try disk.operate("ftruncate", name) { state throws(DiskError) in
            state.contents[index].current.removeLast(max(0, state.contents[index].current.count - size))
            state.contents[index].isSizeDirty = true
        }
    }

    func sync() throws(DiskError) {
        do throws(DiskError) {
            try disk.operate("fdatasync", name) { state throws(DiskError) in state.contents[index].sync() }
        } catch {
            disk.loseWrites(of: index)
            throw error
        }
    }
}
