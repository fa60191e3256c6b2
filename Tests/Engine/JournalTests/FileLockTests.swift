import Foundation
import Testing

@testable import Journal

@Suite struct FileLockTests {
    private let path = NSTemporaryDirectory() + "belfry-lock-" + UUID().uuidString

    @Test func `one owner at a time holds a lock`() throws {
        defer { unlink(path) }
        var lock = try FileLock(path)
        #expect(lock != nil)
        #expect(try FileLock(path) == nil)
        lock = nil
        #expect(try FileLock(path) != nil)
    }

    /// Between its creation and its first instruction, a child process has copies of all descriptors.
    @Test func `a released lock is free although a child process has a copy of its descriptor`() throws {
        defer { unlink(path) }
        var lock = try FileLock(path)
        let copy = dup(try #require(lock?.descriptor))
        defer { close(copy) }
        lock = nil
        #expect(try FileLock(path) != nil)
    }
}
