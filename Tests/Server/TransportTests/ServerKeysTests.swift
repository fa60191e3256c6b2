import CoreMetrics
import Foundation
import Glibc
import Logging
import Testing

@testable import Belfry

/// The file of server keys on disk.
@Suite struct ServerKeysTests {
    private func keys(mode: mode_t, _ text: String) throws -> ServerKeys {
        let path = NSTemporaryDirectory() + "belfry-keys-" + UUID().uuidString
        defer { unlink(path) }
        try Data(text.utf8).write(to: URL(filePath: path))
        #expect(chmod(path, mode) == 0)
        return try ServerKeys(
            apiKey: nil, path: path, metrics: NOOPMetricsHandler.instance,
            Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private let text = #"[{"id":"a","key":"the key of some tests","scopes":["read"]}]"#

    @Test(arguments: [0o600, 0o400, 0o640, 0o440] as [mode_t])
    func `a key file may be readable by its owner and a group`(mode: mode_t) throws {
        #expect(try keys(mode: mode, text).ring.key("the key of some tests", now: 0).id == "a")
    }

    @Test(arguments: [0o604, 0o644, 0o602, 0o620, 0o660, 0o666, 0o601] as [mode_t])
    func `a key file that others can read, or anyone else can write, is refused`(mode: mode_t) {
        #expect(throws: ConfigurationError.self) { try keys(mode: mode, text) }
    }

    @Test func `a file longer than any valid list of keys is refused`() {
        let long = text + String(repeating: " ", count: 65_536)
        #expect(throws: ConfigurationError.self) { try keys(mode: 0o600, long) }
    }
}
