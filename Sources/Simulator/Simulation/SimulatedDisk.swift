import Glibc
import Journal
import Synchronization

/// A folder in memory that fails and crashes on demand, as a real one may.
///
/// After a crash, writes that `sync` has not covered survive completely, partly or not at all, page by page. Of the
/// creations, renames and removals that `syncFolder` has not covered, a prefix survives.
package final class SimulatedDisk: Disk {
    enum Naming {
        case put(String, Int)
        case rename(String, String)
        case remove(String)
    }

    struct State {
        var contents: [SimulatedContent] = []
        /// Names as the process sees them, and those guaranteed to survive a crash.
        var names: [String: Int] = [:]
        var durableNames: [String: Int] = [:]
        var namings: [Naming] = []
        var operations = 0
        var failing: (operation: Int, code: Int32, isPermanent: Bool)?
        /// The maximum size of all files together, in bytes.
        var capacity = Int.max
        var random: SplitMix
    }

    private let state: Mutex<State>
    /// A closure to run while an operation is in progress.
    private let interlude = Mutex<(operation: Int, body: @Sendable () -> Void)?>(nil)

    package init(seed: UInt64) { state = Mutex(State(random: SplitMix(seed: seed))) }

    private init(_ state: consuming State) { self.state = Mutex(state) }

    /// The number of operations so far. Any of them can be made to fail.
    package var operations: Int { state.withLock { $0.operations } }

    /// Makes an operation fail, counted from 1, and with `isPermanent` all later ones.
    package func fail(_ operation: Int, code: Int32 = EIO, isPermanent: Bool = true) {
        state.withLock { $0.failing = (operation, code, isPermanent) }
    }

    /// Whether all operations fail from now on.
    var isDead: Bool {
        state.withLock { state in
            state.failing.map { $0.isPermanent && state.operations >= $0.operation } ?? false
        }
    }

    /// Runs a closure just before an operation, counted from 1, on the caller's thread.
    package func during(_ operation: Int, _ body: @escaping @Sendable () -> Void) {
        interlude.withLock { $0 = (operation, body) }
    }

    /// Cancels `during`.
    package func cancelInterlude() { interlude.withLock { $0 = nil } }

    /// Each file's name and bytes as the process sees them, sorted by name.
    package var files: [(name: String, bytes: [UInt8])] {
        state.withLock { state in
            state.names.sorted { $0.key < $1.key }.map { ($0.key, state.contents[$0.value].current) }
        }
    }

    /// The size of all files in bytes.
    package var size: Int { state.withLock { $0.size } }

    package func setCapacity(_ bytes: Int) { state.withLock { $0.capacity = bytes } }

    /// Returns the disk that the next process finds after a power failure now.
    package func crashed() -> SimulatedDisk {
        state.withLock { state in
            var random = state.random
            let kept = state.namings.isEmpty ? 0 : Int(random.next() % UInt64(state.namings.count + 1))
            var names = state.durableNames
            for naming in state.namings[..<kept] { names.apply(naming) }
            var after = State(random: SplitMix(seed: random.next()))
            for (name, index) in names.sorted(by: { $0.key < $1.key }) {
                let bytes = state.contents[index].crashed(&random)
                after.contents.append(SimulatedContent(durable: bytes, current: bytes))
                after.names[name] = after.contents.count - 1
            }
            after.durableNames = after.names
            return SimulatedDisk(after)
        }
    }

    /// Returns the disk that the next process finds if this one is killed and the operating system survives.
    package func killed() -> SimulatedDisk {
        state.withLock { state in
            var after = State(random: state.random)
            after.contents = state.contents
            after.names = state.names
            after.durableNames = state.durableNames
            after.namings = state.namings
            return SimulatedDisk(after)
        }
    }

    /// Changes a file from outside the process.
    package func tamper(_ name: String, _ body: (inout [UInt8]) -> Void) {
        state.withLock { state in
            guard let index = state.names[name] else { return }
            body(&state.contents[index].current)
            state.contents[index].durable = state.contents[index].current
            state.contents[index].writes = []
        }
    }

    // MARK: Disk

    package func names() throws(DiskError) -> [String] {
        try operate("opendir", "") { state throws(DiskError) in state.names.keys.sorted() }
    }

    package func read(_ name: String) throws(DiskError) -> [UInt8] {
        try operate("open", name) { state throws(DiskError) in
            guard let index = state.names[name] else {
                throw DiskError(operation: "open", path: name, code: ENOENT)
            }
            return state.contents[index].current
        }
    }

    package func read(_ name: String, at offset: Int, upTo count: Int) throws(DiskError) -> [UInt8] {
        Array(try read(name).dropFirst(offset).prefix(count))
    }

    package func open(_ name: String) throws(DiskError) -> any OpenFile {
        let index = try operate("open", name) { state throws(DiskError) in
            guard let index = state.names[name] else {
                throw DiskError(operation: "open", path: name, code: ENOENT)
            }
            return index
        }
        return SimulatedOpenFile(disk: self, index: index)
    }

    package func create(_ name: String) throws(DiskError) -> any DiskFile {
        let index = try operate("open", name) { state throws(DiskError) in
            state.contents.append(SimulatedContent())
            state.record(.put(name, state.contents.count - 1))
            return state.contents.count - 1
        }
        return SimulatedFile(disk: self, index: index, name: name)
    }

    package func rename(_ name: String, to newName: String) throws(DiskError) {
        try operate("rename", name) { state throws(DiskError) in
            guard state.names[name] != nil else { throw DiskError(operation: "rename", path: name, code: ENOENT) }
            state.record(.rename(name, newName))
        }
    }

    package func remove(_ name: String) throws(DiskError) {
        try operate("unlink", name) { state throws(DiskError) in
            guard state.names[name] != nil else { throw DiskError(operation: "unlink", path: name, code: ENOENT) }
            state.record(.remove(name))
        }
    }

    package func erase(_ ranges: [Range<Int>], of name: String) throws(DiskError) {
        try operate("pwrite", name) { state throws(DiskError) in
            guard let index = state.names[name] else {
                throw DiskError(operation: "open", path: name, code: ENOENT)
            }
            for range in ranges {
                state.contents[index].put(Array(repeating: 0, count: range.count), at: range.lowerBound)
            }
            state.contents[index].durable = state.contents[index].current
        }
    }

    package func syncFolder() throws(DiskError) {
        try operate("fsync", "") { state throws(DiskError) in
            state.durableNames = state.names
            state.namings = []
        }
    }

    func writeUnreported(_ bytes: ArraySlice<UInt8>, at offset: Int, of index: Int) {
        state.withLock { state in
            // Bytes beyond the available space are not written.
            guard offset + bytes.count <= state.contents[index].current.count else { return }
            state.contents[index].put(Array(bytes), at: offset)
        }
    }

    func loseWrites(of index: Int) {
        state.withLock { state in
            for write in state.contents[index].writes.indices { state.contents[index].writes[write].isLost = true }
        }
    }

    func operate<Result>(
        _ operation: String, _ name: String, _ body: (inout State) throws(DiskError) -> Result
    ) throws(DiskError) -> Result {
        let next = state.withLock { $0.operations + 1 }
        let due = interlude.withLock { interlude in
            guard let due = interlude, due.operation <= next else { return nil as (@Sendable () -> Void)? }
            interlude = nil
            return due.body
        }
        due?()
        let outcome: Swift.Result<Result, DiskError> = state.withLock { state in
            state.operations += 1
            if let failing = state.failing,
                failing.isPermanent ? state.operations >= failing.operation : state.operations == failing.operation
            {
                return .failure(DiskError(operation: operation, path: name, code: failing.code))
            }
            do throws(DiskError) { return .success(try body(&state)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }
}

extension SimulatedDisk.State {
    fileprivate mutating func record(_ naming: SimulatedDisk.Naming) {
        names.apply(naming)
        namings.append(naming)
    }

    var size: Int { names.values.reduce(0) { $0 + contents[$1].current.count } }
}

extension [String: Int] {
    fileprivate mutating func apply(_ naming: SimulatedDisk.Naming) {
        switch naming {
        case .put(let name, let index): self[name] = index
        case .rename(let old, let new):
            self[new] = self[old]
            self[old] = nil
        case .remove(let name): self[name] = nil
        }
    }
}

/// A file of a simulated disk, which can be read even after it is removed.
private final class SimulatedOpenFile: OpenFile {
    private let disk: SimulatedDisk
    private let index: Int

    init(disk: SimulatedDisk, index: Int) {
        self.disk = disk
        self.index = index
    }

    func read(at offset: Int, upTo count: Int) throws(DiskError) -> [UInt8] {
        try disk.operate("pread", "") { state throws(DiskError) in
            Array(state.contents[index].current.dropFirst(offset).prefix(count))
        }
    }
}
