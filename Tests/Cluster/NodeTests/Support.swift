import ChatEngine
import ChatModel
import Foundation
import Gateway
import Synchronization
import TestSupport
import Testing

@testable import Cluster

extension UserID: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        guard let id = UserID(text) else { preconditionFailure("not a user id") }
        self = id
    }
}

let ann = node("ann")
let bob = node("bob")

func node(_ name: String, start: UInt64 = 1) -> NodeID {
    guard let node = NodeID(name: name, start: start) else { preconditionFailure("a name of a node") }
    return node
}

func user(_ number: Int) -> UserID {
    guard let user = UserID("user\(number)") else { preconditionFailure("a user id") }
    return user
}

func command(_ serial: UInt64, bytes: Int = 20) -> RelayedCommand {
    RelayedCommand(
        serial: serial, method: "message.send",
        request: [UInt8](repeating: UInt8(truncatingIfNeeded: serial), count: bytes),
        caller: .user("ann"), admitsNewcomer: true, guestOrigin: nil)
}

extension SeededGenerator {
    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}

/// Waits for a condition, for as long as a slow machine may need.
func wait(sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool) throws {
    for _ in 0..<3_000 {
        if condition() { return }
        usleep(10_000)
    }
    Issue.record("the condition never held", sourceLocation: sourceLocation)
    throw CancellationError()
}

/// A list that callbacks of any queue extend.
final class Heard<Element: Sendable>: Sendable {
    private let list = Mutex<[Element]>([])

    func add(_ element: Element) { list.withLock { $0.append(element) } }
    var all: [Element] { list.withLock(\.self) }
}
