#if Cluster
import Foundation
import LiveServers
import Replication
import Testing

@testable import NATS

@Suite(.enabled(if: NATSServer.program != nil, "BELFRY_NATS_SERVER names no server"))
struct StreamTests {
    private static let settings = Result { () throws(NATSError) in
        try StreamSettings(cluster: "test", incarnation: 1, replicas: 1)
    }

    @Test func `a stream that does not exist is created only on demand`() async throws {
        let server = try NATSServer()
        let client = try Client([server])
        let settings = try Self.settings.get()
        let missing = await client.open(settings, creating: false)
        #expect(throws: NATSError.noStream("belfry-test-1")) { try missing.get() }
        _ = try await client.open(settings).get()
        _ = try await client.open(settings).get()
        _ = try await client.open(settings, creating: false).get()
    }

    @Test(
        arguments: [
            ("max_age", 600_000_000_000), ("discard", "old"), ("duplicate_window", 1_000_000_000),
            ("storage", "memory"),
            ("allow_direct", false), ("subjects", ["other"]), ("metadata.belfry_cluster", "other"),
            ("republish.dest", "other.live"),
        ] as [(String, any Sendable)])
    func `a stream with another setting is refused by that setting's name`(
        setting: String, value: any Sendable
    ) async throws {
        let server = try NATSServer()
        let client = try Client([server])
        let settings = try Self.settings.get()
        let wanted = Data(StreamConfiguration(settings).encoded)
        var configuration = try #require(try JSONSerialization.jsonObject(with: wanted) as? [String: Any])
        switch setting {
        case "metadata.belfry_cluster": configuration["metadata"] = ["belfry_cluster": value]
        case "republish.dest": configuration["republish"] = ["src": settings.subject, "dest": value]
        case "subjects":
            configuration["subjects"] = value
            configuration["republish"] = ["src": "other", "dest": settings.liveSubject]
        default: configuration[setting] = value
        }
        let body = try JSONSerialization.data(withJSONObject: configuration)
        let created = await result { done in
            client.connection.ask("STREAM.CREATE.\(settings.stream)", [UInt8](body), milliseconds: 60_000) {
                done($0.map { $0.error?.description })
            }
        }
        #expect(try created.get() == nil)
        let opened = await client.open(settings)
        #expect(throws: NATSError.differentStream("belfry-test-1", setting: setting)) { try opened.get() }
    }

    @Test func `a stream with another number of replicas is refused`() async throws {
        let server = try NATSServer()
        let client = try Client([server])
        _ = try await client.open(try Self.settings.get()).get()
        let three = await client.open(try StreamSettings(cluster: "test", incarnation: 1, replicas: 3))
        #expect(throws: NATSError.differentStream("belfry-test-1", setting: "num_replicas")) { try three.get() }
    }

    @Test func `a server without JetStream is refused`() async throws {
        let server = try NATSServer { _ in "" }
        let client = try Client([server])
        let opened = await client.open(try Self.settings.get())
        #expect(throws: NATSError.noJetStream(reason: "nobody serves its API")) { try opened.get() }
    }

    @Test(
        arguments: [
            (#"{"api":{"level":1}}"#, .tooOld(apiLevel: 1)), (#"{"api":{"total":0}}"#, .tooOld(apiLevel: 0)),
            (#"{"api":{"level":2}}"#, nil), (#"{"api":{"level":4}}"#, nil),
            (#"{"error":{"code":503,"err_code":10039,"description":"no"}}"#, .noJetStream(reason: "no")),
            (
                #"{"error":{"code":503,"err_code":10008,"description":"later"}}"#,
                .refused(code: 10_008, reason: "later")
            ),
        ] as [(String, NATSError?)])
    func `an account is judged by its API level`(reply: String, error: NATSError?) throws {
        #expect(JetStreamStore.checkAccount(try #require(JetStreamReply(Array(reply.utf8)))) == error)
    }

    @Test func `the incarnations of a cluster are found among other streams, in order`() async throws {
        let server = try NATSServer()
        let client = try Client([server])
        for (cluster, incarnation) in [("test", 10), ("test", 9), ("test-1", 2), ("other", 1), ("test", 1)] {
            let settings = try StreamSettings(cluster: cluster, incarnation: UInt64(incarnation), replicas: 1)
            _ = try await client.open(settings).get()
        }
        for (cluster, incarnations) in [("test", [1, 9, 10]), ("test-1", [2]), ("nobody", [])] {
            let found = await result { JetStreamStore.incarnations(of: cluster, on: client.connection, $0) }
            #expect(try found.get() == incarnations.map { UInt64($0) })
        }
    }

    @Test(
        arguments: [
            ("belfry-test-1", 1), ("belfry-test-18", 18), ("belfry-test-", nil), ("belfry-test-01", nil),
            ("belfry-test-+1", nil), ("belfry-test-1-1", nil), ("belfry-other-1", nil), ("test-1", nil),
            ("belfry-test-4611686018427387904", nil), ("belfry-test-99999999999999999999", nil),
        ] as [(String, UInt64?)])
    func `a stream's name contains the incarnation of its log`(stream: String, incarnation: UInt64?) {
        #expect(StreamSettings.incarnation(of: stream, cluster: "test") == incarnation)
    }

    @Test func `a sealed stream keeps its messages and accepts no others`() async throws {
        let server = try NATSServer()
        let client = try Client([server])
        let log = try await client.log()
        #expect(try await log.append("a", after: 0) == .stored(1))
        #expect(try await result { log.report($0) }.get().isSealed == false)
        for _ in 1...2 { try await result { log.seal($0) }.get() }
        guard case .refused = try await log.append("b", after: 1) else { throw Unexpected() }
        let report = try await result { log.report($0) }.get()
        #expect(report.isSealed && report.last == 1 && report.messages == 1 && report.replicas == 1)
        #expect(try await log.texts() == ["a"])
        let opened = await client.open(try Self.settings.get())
        #expect(throws: NATSError.differentStream("belfry-test-1", setting: "sealed")) { try opened.get() }
    }

    private struct Unexpected: Error {}

    @Test func `sealing changes nothing else, whatever a newer server has added`() throws {
        let information = #"{"config":{"name":"a","x":[1.5,{"y":null}],"max_bytes":-1,"sealed":false},"created":"now"}"#
        let sealed = try #require(JetStreamStore.sealed(Array(information.utf8)))
        let value = try JSONSerialization.jsonObject(with: Data(sealed)) as? NSDictionary
        let wanted = #"{"name":"a","x":[1.5,{"y":null}],"max_bytes":-1,"sealed":true}"#
        #expect(value == (try JSONSerialization.jsonObject(with: Data(wanted.utf8)) as? NSDictionary))
        for text in ["", "{}", "[]", #"{"config":1}"#] { #expect(JetStreamStore.sealed(Array(text.utf8)) == nil) }
    }

    @Test(
        arguments: [
            ("ann:secret", "ann", "secret"), ("ann:se:cret\n", "ann", "se:cret"), ("ann:\r\n", "ann", ""),
            ("ann", nil, nil), (":secret", nil, nil), ("", nil, nil), ("ann:secret\nbob:secret\n", nil, nil),
            ("ann:" + String(repeating: "a", count: 4_097), nil, nil),
        ] as [(String, String?, String?)])
    func `a file of one line contains a user and a password`(text: String, user: String?, password: String?) throws {
        let file = try TemporaryFile(text)
        let found = NATSOptions.userAndPassword(in: file.path)
        #expect(found?.0 == user && found?.1 == password)
    }

    @Test(arguments: ["", "a.b", "a b", "*", ">", "ä", String(repeating: "a", count: 65)])
    func `a name that does not fit into a subject is refused`(name: String) {
        #expect(throws: NATSError.invalidName(name)) {
            try StreamSettings(cluster: name, incarnation: 1, replicas: 1)
        }
    }

    @Test(
        arguments: [
            (#"{"stream":"s","seq":7}"#, .stored(7)), (#"{"stream":"s","seq":7,"duplicate":true}"#, .stored(7)),
            (#"{"error":{"code":400,"err_code":10071,"description":"wrong last sequence: 3"}}"#, .conflict),
            (#"{"error":{"code":400,"err_code":10164,"description":"wrong last sequence"}}"#, .conflict),
            (
                #"{"error":{"code":503,"err_code":10077,"description":"maximum bytes exceeded"},"seq":0}"#,
                .refused("maximum bytes exceeded")
            ), (#"{"error":{"code":503,"err_code":10077,"description":"disk failed"}}"#, .unknown),
            (#"{"error":{"code":409,"err_code":10158,"description":"duplicate message id is in process"}}"#, .unknown),
            (#"{"error":{"code":503,"err_code":10008}}"#, .unknown), (#"{"error":{"code":429}}"#, .unknown),
            (#"{"error":{"code":400,"err_code":10109,"description":"sealed"}}"#, .refused("sealed")),
            ("{}", .unknown), ("", .unknown), (#"{"seq":-1}"#, .unknown), (#"{"seq":1e400}"#, .unknown),
            ("\u{0}\u{7F}[[[", .unknown),
        ] as [(String, AppendOutcome)])
    func `a reply to an append tells its outcome`(reply: String, outcome: AppendOutcome) {
        #expect(AppendOutcome(JetStreamReply(Array(reply.utf8))) == outcome)
    }
}
#endif
