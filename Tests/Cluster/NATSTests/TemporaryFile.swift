#if Cluster
import Foundation

/// A file with a text, which is removed at the end.
final class TemporaryFile: Sendable {
    let path = NSTemporaryDirectory() + "belfry-file-" + UUID().uuidString

    init(_ text: String) throws { try text.write(toFile: path, atomically: false, encoding: .utf8) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
#endif
