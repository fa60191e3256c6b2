import FoundationEssentials
import Glibc
import Journal

/// The exchange of a data folder's journal for a copy, which a crash at any point leaves with a whole journal.
///
///     journal.copy      a copy under way
///     journal.new       a complete copy that takes the journal's place
///     journal.replaced  the journal before
struct JournalReplacement {
    let folder: String

    var journal: String { folder + "/journal" }
    var copy: String { folder + "/journal.copy" }
    var replaced: String { folder + "/journal.replaced" }
    private var new: String { folder + "/journal.new" }

    /// Completes an exchange during which the process ended. Without one, changes nothing.
    func finish() throws(ConfigurationError) {
        guard access(journal, F_OK) != 0, access(new, F_OK) == 0 else { return }
        try move(new, to: journal)
    }

    /// Creates an empty folder for the copy. Removes what an earlier attempt left.
    func begin() throws(ConfigurationError) -> PosixDisk {
        try cancel()
        do throws(DiskError) { return try PosixDisk(folder: copy) } catch { throw Storage.refusal(.disk(error)) }
    }

    /// Removes what is left of a copy that did not take the journal's place.
    func cancel() throws(ConfigurationError) {
        try remove(copy)
        try remove(new)
    }

    /// Puts a complete copy in the journal's place.
    ///
    /// - Parameter keepsOld: Whether to keep the journal before, instead of an earlier one.
    func complete(keepsOld: Bool) throws(ConfigurationError) {
        try move(copy, to: new)
        try remove(keepsOld ? replaced : journal)
        if keepsOld { try move(journal, to: replaced) }
        try move(new, to: journal)
    }

    /// Removes the journal that was replaced last.
    ///
    /// - Returns: Whether there was one.
    func removeReplaced() throws(ConfigurationError) -> Bool {
        guard access(replaced, F_OK) == 0 else { return false }
        try remove(replaced)
        return true
    }

    private func move(_ path: String, to newPath: String) throws(ConfigurationError) {
        guard rename(path, newPath) == 0 else {
            throw Storage.refusal(.disk(DiskError(operation: "rename", path: path, code: errno)))
        }
        do throws(DiskError) { try PosixDisk(existing: folder).syncFolder() } catch {
            throw Storage.refusal(.disk(error))
        }
    }

    private func remove(_ path: String) throws(ConfigurationError) {
        guard access(path, F_OK) == 0 else { return }
        do { try FileManager.default.removeItem(atPath: path) } catch {
            throw Storage.refusal(.disk(DiskError(operation: "remove", path: path, code: errno)))
        }
    }
}
