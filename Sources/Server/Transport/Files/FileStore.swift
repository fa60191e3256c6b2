import ChatModel
import Dispatch
import Glibc
import Metrics
import Synchronization

/// The folder of uploaded files. Each file is named after its id, with the suffix `.part` while it is being received.
///
/// All blocking work runs on `queue`, so no loop waits for a disk. Each file has at most one operation queued, and at
/// most `limits.openFiles` files are open.
package final class FileStore: Sendable {
    package struct Limits: Sendable, Equatable {
        /// The largest accepted file, in bytes.
        package var maxBytes = 26_214_400
        /// The maximum number of concurrent uploads and downloads.
        package var openFiles = 256
        /// Transfers per user while less than half of `openFiles` are in use; above that, an eighth of the free ones,
        /// but at least one. The last sixteenth is reserved for the app's backend.
        package var openFilesOfUser = 32
        /// How long a peer may take to read one 128 KiB piece of a download.
        package var pieceMilliseconds: Int64 = 60_000
        /// Upload rate per user.
        package var ratesOfUser = UploadRates.Limits()
        /// Time limit for a whole upload, however steady its progress.
        package var uploadMilliseconds: Int64 = 900_000
        /// Whether to make thumbnails if the tool is installed.
        package var makesThumbnails = true
        /// The largest image that gets a thumbnail, in pixels (width times height).
        package var thumbnailPixels = 50_000_000
        /// The maximum number of queued thumbnails; beyond this, the server serves the original image.
        package var thumbnailsWaiting = 32
        /// Time limit for making one thumbnail.
        package var thumbnailMilliseconds = 10_000
        package init() {}

        /// Returns the number of transfers one user may have while `inUse` are in progress, so that some remain for
        /// other users.
        package func openFilesOfUser(inUse: Int) -> Int {
            let free = openFiles - inUse
            guard free > openFiles / 16 else { return 0 }
            return inUse < openFiles / 2 ? openFilesOfUser : min(openFilesOfUser, max(1, free / 8))
        }
    }

    package let limits: Limits
    let metrics: FileMetrics
    let rates: UploadRates
    private let shortage = Atomic<Bool>(false)
    let folder: String
    let queue = DispatchQueue(label: "belfry.files")
    let thumbnails: ThumbnailMaker?
    let thumbnailRequests = ThumbnailRequests()
    private struct Open {
        var count = 0
        var ofUser: [UserID: Int] = [:]
    }
    private let open = Mutex(Open())

    /// - Parameter folder: Created if missing, accessible to its owner only.
    /// - Throws: `FileStoreError` when the folder cannot be created.
    package init(
        folder: String, limits: Limits, metrics factory: any MetricsFactory
    ) throws(FileStoreError) {
        self.folder = folder
        self.limits = limits
        rates = UploadRates(limits.ratesOfUser, largest: limits.maxBytes)
        metrics = FileMetrics(factory)
        // Register the metrics even without the tool: a missing series looks like a mistake.
        thumbnails = ThumbnailMaker(limits, ThumbnailMetrics(factory))
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw FileStoreError(path: folder, code: errno) }
    }

    // MARK: Called from any queue

    /// Whether the disk is too full for uploads, which then fail with 1040.
    package var isShortOfSpace: Bool { shortage.load(ordering: .relaxed) }
    package func setShortOfSpace(_ isShort: Bool) { shortage.store(isShort, ordering: .relaxed) }

    /// Deletes files that the chat does not know, such as those left by a crash or shutdown.
    package func removeUnknown(keeping known: Set<FileID>) {
        queue.async { [folder] in
            self.removeUnknownThumbnails(keeping: known)
            guard let directory = opendir(folder) else { return }
            defer { closedir(directory) }
            while let entry = readdir(directory) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                let isKnown = FileID(name).map(known.contains) ?? false
                // Delete only files whose names this store could have created.
                guard !isKnown, FileID(name.prefix(32)) != nil, name.utf8.count == 32 || name.hasSuffix(".part")
                else { continue }
                unlink("\(folder)/\(name)")
            }
        }
    }

    /// Deletes unreferenced files, in batches, so that other work on `queue` can run in between.
    package func remove(_ ids: [FileID]) { remove(ids[...]) }

    private func remove(_ ids: ArraySlice<FileID>) {
        guard !ids.isEmpty else { return }
        queue.async {
            for id in ids.prefix(Self.removalBatch) {
                unlink(self.path(id))
                self.removeThumbnails(of: "\(id)")
            }
            self.remove(ids.dropFirst(Self.removalBatch))
        }
    }

    private static let removalBatch = 64

    /// Reserves a place for one open file.
    ///
    /// - Parameter user: Nil for the app's backend, which has no per-user limit.
    /// - Returns: `nil` when too many files are open.
    func claim(for user: UserID?) -> OpenFile? {
        let count: Int? = open.withLock { open in
            guard open.count < limits.openFiles else { return nil }
            if let user {
                guard open.ofUser[user, default: 0] < limits.openFilesOfUser(inUse: open.count) else { return nil }
                open.ofUser[user, default: 0] += 1
            }
            open.count += 1
            return open.count
        }
        guard let count else {
            metrics.refused.increment()
            return nil
        }
        metrics.open.record(count)
        return OpenFile(in: self, of: user)
    }

    fileprivate func release(_ user: UserID?) {
        let count = open.withLock { open in
            open.count -= 1
            if let user, let count = open.ofUser[user] { open.ofUser[user] = count > 1 ? count - 1 : nil }
            return open.count
        }
        metrics.open.record(count)
    }

    func path(_ id: FileID) -> String { "\(folder)/\(id)" }
}

package struct FileStoreError: Error {
    package let path: String
    /// `errno`
    package let code: Int32
}

/// A file being uploaded or downloaded. Its deinit deletes an upload unless `keep()` was called.
///
/// Its descriptor and state are confined to the store's `queue`; `deinit` also uses them, when nothing else can.
final class OpenFile: @unchecked Sendable {
    /// The result of a completed upload.
    struct Received: Sendable {
        let id: FileID
        let size: Int64
        let mimeType: String
    }

    let store: FileStore
    private var descriptor: Int32 = -1
    /// The file that deinit deletes, unless the upload is kept.
    private var temporaryPath: String?
    private var id = FileID(high: 0, low: 0)
    private var size: Int64 = 0
    private var head: [UInt8] = []

    private let user: UserID?

    fileprivate init(in store: FileStore, of user: UserID?) {
        self.store = store
        self.user = user
    }

    deinit {
        let (descriptor, path, store, user) = (descriptor, temporaryPath, store, user)
        store.queue.async {
            if descriptor >= 0 { close(descriptor) }
            if let path { unlink(path) }
            store.release(user)
        }
    }

    // MARK: Called from any queue; callbacks run on the store's

    /// Creates a file with a new id.
    func create(_ done: @escaping @Sendable (Bool) -> Void) {
        store.queue.async {
            var random = SystemRandomNumberGenerator()
            self.id = FileID(high: random.next(), low: random.next())
            let path = self.store.path(self.id) + ".part"
            self.descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            if self.descriptor >= 0 { self.temporaryPath = path }
            done(self.descriptor >= 0)
        }
    }

    func append(_ bytes: [UInt8], _ done: @escaping @Sendable (Bool) -> Void) {
        store.queue.async { done(self.write(bytes)) }
    }

    private func write(_ bytes: [UInt8]) -> Bool {
        if head.count < ContentType.headBytes { head += bytes.prefix(ContentType.headBytes - head.count) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        size += Int64(bytes.count)
        return true
    }

    /// Finishes the upload. When `done` receives a value, the file is on disk under its final name.
    func complete(_ done: @escaping @Sendable (Received?) -> Void) {
        store.queue.async {
            let path = self.store.path(self.id)
            guard let part = self.temporaryPath, fsync(self.descriptor) == 0, rename(part, path) == 0 else {
                return done(nil)
            }
            self.temporaryPath = path
            done(Received(id: self.id, size: self.size, mimeType: ContentType.of(self.head)))
        }
    }

    /// Keeps the file, now that the chat knows it.
    func keep() { store.queue.async { self.temporaryPath = nil } }

    /// - Parameter done: Called with whether the file exists.
    func open(_ id: FileID, _ done: @escaping @Sendable (Bool) -> Void) {
        store.queue.async {
            self.descriptor = Glibc.open(self.store.path(id), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            done(self.descriptor >= 0)
        }
    }

    /// Adopts a descriptor opened elsewhere and closes it on deinit. Must run on the store's queue.
    func adopt(_ opened: Int32) { descriptor = opened }

    static let pieceBytes = 131_072

    /// Reads the next piece, at most 128 KiB.
    ///
    /// - Parameter done: Called with no bytes at the end of the file or on a read error.
    func read(_ done: @escaping @Sendable ([UInt8]) -> Void) {
        store.queue.async {
            let descriptor = self.descriptor
            done(
                [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { buffer, count in
                    count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
                })
        }
    }
}
