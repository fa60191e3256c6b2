import FoundationEssentials
import Glibc

/// What a node of a cluster keeps in its data folder beside the chat.
struct ClusterFolder {
    private let path: String

    /// - Parameter path: The data folder, which exists.
    init(_ path: String) { self.path = path }

    // MARK: The log that the journal continues

    private var membership: String { path + "/cluster" }

    /// The name of the stream that the folder's journal follows; nil if no node has used the folder since it left a cluster.
    var stream: String? {
        FileManager.default.contents(atPath: membership).map {
            String(decoding: $0.prefix(256), as: UTF8.self).filter { !$0.isNewline }
        }
    }

    func join(_ stream: String) throws(ConfigurationError) {
        guard stream != self.stream else { return }
        do {
            try Data((stream + "\n").utf8).write(to: URL(filePath: membership), options: .atomic)
        } catch {
            throw ConfigurationError("cannot write \"\(membership)\": \(error)", exitCode: EX_IOERR)
        }
    }

    func leave() throws(ConfigurationError) {
        guard unlink(membership) == 0 || errno == ENOENT else {
            throw ConfigurationError(
                "cannot remove \"\(membership)\": \(String(cString: strerror(errno)))", exitCode: EX_IOERR)
        }
    }

    /// Refuses a single server on the folder of a node: what it changed would not be in the log, and another node could begin
    /// without it.
    func requireNoCluster() throws(ConfigurationError) {
        guard let stream else { return }
        throw ConfigurationError(
            "\"\(path)\" belongs to a node of the cluster with the log \"\(stream)\": set cluster.url, or leave the cluster "
                + "with belfry cluster leave")
    }

    // MARK: The folder of uploads

    private static let markSize = 16

    /// The mark of the folder of uploads, which the first node makes: nodes with different marks do not share the folder.
    func uploadsMark() async throws(ConfigurationError) -> [UInt8] {
        let file = path + "/files/cluster.mark"
        for _ in 0..<20 {
            let mark = (0..<Self.markSize).map { _ in UInt8.random(in: .min ... .max) }
            if try DataFolder.writeNew(file, mark) { return mark }
            let found = try DataFolder.read(file)
            if found.count == Self.markSize { return found }
            // Another node is writing it.
            try? await Task.sleep(for: .milliseconds(50))
        }
        throw ConfigurationError("\"\(file)\" is damaged: delete it", exitCode: EX_IOERR)
    }
}
