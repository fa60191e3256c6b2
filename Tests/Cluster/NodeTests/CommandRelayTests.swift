import ChatEngine
import ChatModel
import ClusterSupport
import Dispatch
import Gateway
import Replication
import Testing

@testable import Cluster

/// Nodes that send commands, and the node that decides, on a bus in memory.
@Suite struct CommandRelayTests {
    private let bus = MemoryBus()
    private let queue = DispatchQueue(label: "nodes")
    private let term = LogTerm(number: 1, writer: bob)

    /// The node that decides, and what it has carried out.
    private struct Writer {
        let server: RelayServer
        let executed = Heard<String>()
    }

    private func writer(_ term: LogTerm? = nil) -> Writer {
        let writer = Writer(server: RelayServer(bob, queue, bus.connect()))
        let executed = writer.executed
        queue.sync {
            writer.server.begin(
                term ?? self.term,
                execute: { command, remote in
                    executed.add("\(remote.origin.node) \(command.serial)")
                    remote.done(.failure(Rejection(.internal)))
                }, lastFrame: { $0(77) })
        }
        return writer
    }

    private func relay(_ node: NodeID) -> CommandRelay { CommandRelay(node, queue, bus.connect()) }

    @Test func `commands arrive in order, with their origin, before and after the start of the term`() throws {
        let (writer, relay) = (writer(), relay(ann))
        queue.sync {
            // Not sent yet: the engine names it again.
            relay.relay(command(1))
            relay.begin(term)
            relay.relay(command(1))
            relay.restart([command(1), command(2)], in: 1)
            relay.relay(command(3))
        }
        try wait { writer.executed.all.count == 3 }
        #expect(writer.executed.all == ["ann#1 1", "ann#1 2", "ann#1 3"])
    }

    @Test func `commands for a term that is over, or of this node itself, are not sent`() throws {
        let (writer, relay, own) = (writer(), relay(ann), relay(bob))
        queue.sync {
            relay.begin(LogTerm(number: 1, writer: bob))
            relay.restart([command(1)], in: 0)
            own.begin(term)
            own.restart([command(9)], in: 1)
            relay.restart([command(2)], in: 1)
        }
        try wait { !writer.executed.all.isEmpty }
        #expect(writer.executed.all == ["ann#1 2"])
    }

    @Test func `a term that is announced again does not begin again`() throws {
        let (writer, relay) = (writer(), relay(ann))
        queue.sync {
            relay.begin(term)
            relay.restart([command(1), command(2)], in: 1)
        }
        try wait { writer.executed.all.count == 2 }
        queue.sync {
            relay.begin(term)
            relay.restart([command(3)], in: 1)
            relay.relay(command(3))
        }
        try wait { writer.executed.all.count == 3 }
        #expect(writer.executed.all.last == "ann#1 3")
    }

    @Test func `what a writer does not take is sent again until it does`() throws {
        let relay = relay(ann)
        queue.sync {
            relay.begin(term)
            relay.restart([command(1)], in: 1)
        }
        // Nobody served the term when the first message left.
        let writer = writer()
        try wait { !writer.executed.all.isEmpty }
        #expect(writer.executed.all == ["ann#1 1"])
    }

    @Test func `a writer takes commands of nodes that restarted any number of times in its term`() throws {
        let writer = writer()
        for start in 1...70 as ClosedRange<UInt64> {
            let relay = relay(node("ann", start: start))
            queue.sync {
                relay.begin(term)
                relay.restart([command(1)], in: 1)
            }
            try wait { writer.executed.all.count == Int(start) }
        }
        #expect(writer.executed.all.last == "ann#70 1")
    }

    @Test func `a writer whose term is over takes nothing and answers nothing`() throws {
        let (old, relay) = (writer(), relay(ann))
        queue.sync { old.server.end() }
        let next = LogTerm(number: 2, writer: bob)
        let writer = writer(next)
        queue.sync {
            relay.begin(term)
            relay.restart([command(1)], in: 1)
            relay.begin(next)
            relay.restart([command(1)], in: 2)
        }
        try wait { !writer.executed.all.isEmpty }
        #expect(old.executed.all.isEmpty)
    }

    @Test func `the last frame is asked for until the writer serves`() throws {
        let relay = relay(ann)
        let found = Heard<UInt64?>()
        let server = RelayServer(bob, queue, bus.connect())
        queue.sync {
            relay.begin(term)
            // Nobody serves the term yet.
            relay.findLastFrame { found.add($0) }
            server.begin(term, execute: { _, _ in }, lastFrame: { $0(77) })
        }
        try wait { !found.all.isEmpty }
        #expect(found.all == [77])
    }

    @Test func `a question for the last frame ends without an answer if nobody writes`() throws {
        let relay = relay(ann)
        let found = Heard<UInt64?>()
        queue.sync { relay.findLastFrame { found.add($0) } }
        try wait { !found.all.isEmpty }
        #expect(found.all == [nil])
    }
}
