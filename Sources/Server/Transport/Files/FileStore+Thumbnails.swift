import ChatModel
import Glibc

/// Thumbnails, made on first request and stored in the upload folder:
///
///     thumbnails/<id of the upload>/<max width>x<max height>     empty: none can be made
///
/// They are deleted with their upload. An upload has at most as many as its message requested.
extension FileStore {
    /// Whether the thumbnail tool was found.
    package var makesThumbnails: Bool { thumbnails != nil }

    private var thumbnailsFolder: String { folder + "/thumbnails" }

    private func thumbnailPath(_ id: FileID, _ size: ThumbnailSize) -> String {
        "\(thumbnailsFolder)/\(id)/\(size.maxWidth)x\(size.maxHeight)"
    }

    // MARK: On `queue`

    /// Opens a thumbnail, making it first if necessary.
    ///
    /// - Parameter done: Called on `queue` with a descriptor that the caller owns and the size in bytes, or with `nil`
    ///   when there is no thumbnail.
    func openThumbnail(
        of id: FileID, _ size: ThumbnailSize, _ done: @escaping ThumbnailRequests.Done
    ) {
        let path = thumbnailPath(id, size)
        if access(path, F_OK) == 0 { return done(Self.openWhole(path)) }
        guard let thumbnails, access(self.path(id), F_OK) == 0 else { return done(nil) }
        let wanted = ThumbnailRequests.Key(id: id, size: size)
        guard thumbnailRequests.enqueue(wanted, done) else { return }
        mkdir(thumbnailsFolder, 0o700)
        mkdir("\(thumbnailsFolder)/\(id)", 0o700)
        let fresh = String(UInt64.random(in: .min ... .max), radix: 16)
        thumbnails.make(of: "\(id)", in: folder, fitting: size, as: "thumbnails/\(id)/\(fresh)") { result, made in
            self.queue.async {
                self.keep(made, result, id, path)
                for done in self.thumbnailRequests.removeAll(for: wanted) { done(Self.openWhole(path)) }
            }
        }
    }

    private func keep(_ made: String, _ result: ThumbnailMaker.Result, _ id: FileID, _ path: String) {
        switch result {
        case .made: rename(made, path)
        case .impossible: close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600))
        case .busy: break
        }
        // The upload may have been deleted in the meantime.
        if access(self.path(id), F_OK) != 0 { removeThumbnails(of: "\(id)") }
    }

    private static func openWhole(_ path: String) -> (descriptor: Int32, size: Int64)? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        let size = Int64(lseek(descriptor, 0, SEEK_END))
        guard size > 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
            close(descriptor)
            return nil
        }
        return (descriptor, size)
    }

    /// - Parameter id: A name in the thumbnails folder.
    func removeThumbnails(of id: String) {
        let folder = "\(thumbnailsFolder)/\(id)"
        for name in Self.names(in: folder) { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    /// Removes thumbnails without an upload, partial ones left by a shutdown, and markers for thumbnails that could not
    /// be made, because the settings may have changed.
    func removeUnknownThumbnails(keeping known: Set<FileID>) {
        for name in Self.names(in: thumbnailsFolder) {
            guard let id = FileID(name) else { continue }
            guard known.contains(id) else {
                removeThumbnails(of: name)
                continue
            }
            for file in Self.names(in: "\(thumbnailsFolder)/\(name)") {
                let path = "\(thumbnailsFolder)/\(name)/\(file)"
                var status = stat()
                if !file.contains("x") || stat(path, &status) == 0 && status.st_size == 0 { unlink(path) }
            }
        }
    }

    private static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

/// The callers waiting for each thumbnail, so that concurrent requests for a thumbnail make it only once.
///
/// Confined to the store's `queue`. Bounded by the maximum number of open files.
final class ThumbnailRequests: @unchecked Sendable {
    struct Key: Hashable {
        let id: FileID
        let size: ThumbnailSize
    }

    typealias Done = @Sendable ((descriptor: Int32, size: Int64)?) -> Void
    private var waiting: [Key: [Done]] = [:]

    /// - Returns: Whether this is the first request for the thumbnail.
    func enqueue(_ key: Key, _ done: @escaping Done) -> Bool {
        waiting[key, default: []].append(done)
        return waiting[key]?.count == 1
    }

    func removeAll(for key: Key) -> [Done] { waiting.removeValue(forKey: key) ?? [] }
}

extension OpenFile {
    /// - Parameter done: Called with the size in bytes, or with `nil` when there is no thumbnail.
    func openThumbnail(of id: FileID, _ size: ThumbnailSize, _ done: @escaping @Sendable (Int64?) -> Void) {
        store.queue.async {
            self.store.openThumbnail(of: id, size) { opened in
                if let opened { self.adopt(opened.descriptor) }
                done(opened?.size)
            }
        }
    }
}
