import ArgumentParser
import Belfry
import Foundation

/// Manages the log that the nodes of a cluster share.
struct ClusterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster", abstract: "Create, replace, leave and inspect the log that several nodes share.",
        discussion: """
            The NATS servers and other settings come from the same places as those of serve. Exit status: 69 if NATS is \
            not available within cluster.wait_seconds, 78 if a setting is wrong or the command does not apply, and \
            those of belfry data.
            """,
        subcommands: [Create.self, Recreate.self, Leave.self, Status.self])

    struct Options: ParsableArguments {
        @Option(help: "A JSON settings file.")
        var config: String?

        @Option(
            name: .customLong("cluster-url"),
            help: "The URL of a NATS server; repeat it, or separate URLs with commas.")
        var clusterURLs: [String] = []

        func configuration(data: String? = nil) async throws(ConfigurationError) -> Configuration {
            var configuration = Configuration(tokenSecret: nil)
            if let data { configuration.dataFolder = data }
            try await configuration.apply(settingsFile: config, environment: ProcessInfo.processInfo.environment)
            configuration.cluster.useServers(clusterURLs)
            // A mistyped name must not make a new chat.
            if data != nil, !FileManager.default.fileExists(atPath: configuration.dataFolder) {
                throw ConfigurationError(
                    "there is no folder \"\(configuration.dataFolder)\": name the data folder of this node, or make an empty "
                        + "one for a new chat")
            }
            return configuration
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create the log, which continues the chat in this data folder.",
            discussion: """
                Run it once, on one node, while no server uses the folder. It creates a JetStream stream with \
                cluster.replicas copies. Then start this node; all others begin with empty folders and copy the chat \
                from it. If the command fails, run it again.
                """)

        @OptionGroup var options: Options

        @Option(help: "The data folder.")
        var data = "belfry-data"

        func run() async throws {
            try await ClusterCommand.reportingErrors { () async throws(ConfigurationError) in
                let log = try await ClusterTools.create(options.configuration(data: data))
                ClusterCommand.show(log)
            }
        }
    }

    struct Recreate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Replace a lost or unusable log by a new one, which continues the chat in this data folder.",
            discussion: """
                Stop all nodes, and run it once with the longest journal of all (belfry data inspect). The old stream, \
                if there still is one, accepts no messages afterwards; delete it when you no longer need it. Start this \
                node first: nodes with shorter journals copy the chat from it.
                """)

        @OptionGroup var options: Options

        @Option(help: "The data folder.")
        var data = "belfry-data"

        @Flag(help: "Give up frames of the old log that this journal does not have.")
        var discardNewer = false

        func run() async throws {
            try await ClusterCommand.reportingErrors { () async throws(ConfigurationError) in
                let log = try await ClusterTools.recreate(
                    options.configuration(data: data), discardingNewer: discardNewer)
                if let replaced = log.replaced { print("sealed \(replaced)") }
                ClusterCommand.show(log)
            }
        }
    }

    struct Leave: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Seal the log, and make this data folder that of a single server.",
            discussion: """
                Stop all nodes, and run it once with the longest journal of all (belfry data inspect). Afterwards no node \
                can begin from the log. To have several nodes again, run belfry cluster recreate with this folder.
                """)

        @OptionGroup var options: Options

        @Option(help: "The data folder.")
        var data = "belfry-data"

        @Flag(help: "Give up frames of the log that this journal does not have.")
        var discardNewer = false

        @Flag(help: "Leave without NATS, whose log is lost or out of reach: a node that still has it can go on alone.")
        var withoutLog = false

        func run() async throws {
            try await ClusterCommand.reportingErrors { () async throws(ConfigurationError) in
                let configuration = try await options.configuration(data: data)
                if withoutLog {
                    try ClusterTools.forget(configuration)
                } else if let sealed = try await ClusterTools.leave(configuration, discardingNewer: discardNewer) {
                    print("sealed \(sealed)")
                }
                print("\(configuration.dataFolder) belongs to a single server now: remove the cluster settings")
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the log, the servers that store it, its writer, and the nodes.",
            discussion: "Listens to the nodes for two seconds. Changes nothing.")

        @OptionGroup var options: Options

        @Flag(help: "Print one JSON object.")
        var json = false

        func run() async throws {
            try await ClusterCommand.reportingErrors { () async throws(ConfigurationError) in
                let status = try await ClusterTools.status(options.configuration())
                json ? ClusterCommand.showJSON(status) : ClusterCommand.show(status)
            }
        }
    }

    private static func reportingErrors(_ body: () async throws(ConfigurationError) -> Void) async throws {
        do throws(ConfigurationError) { try await body() } catch { throw Failure.configuration(error) }
    }

    private static func show(_ log: ClusterTools.CreatedLog) {
        print("created \(log.stream)  replicas \(log.replicas)  continues after frame \(log.lastFrame)")
        if log.replicas == 1 { print("one replica is not fault tolerant: the log is lost with its server's disk") }
        print("every NATS server needs sync_interval: always, which cannot be read remotely")
    }

    private static func show(_ status: ClusterStatus) {
        print("cluster \(status.cluster)  log \(status.stream)\(status.isSealed ? "  sealed" : "")")
        let limit = status.byteLimit.map { "\($0)" } ?? "none"
        print(
            "messages \(status.messages)  first \(status.firstMessage)  last \(status.lastMessage)  "
                + "bytes \(status.bytes)  limit \(limit)")
        print("replicas \(status.configuredReplicas)\(status.configuredReplicas == 1 ? ", not fault tolerant" : "")")
        for replica in status.replicas {
            let state = replica.isLeader ? "leader" : replica.isCurrent ? "current" : "behind by \(replica.lag)"
            print("  server \(replica.name)  \(state)\(replica.isOffline ? "  offline" : "")")
        }
        if let last = status.last {
            print(
                "term \(last.term)\(last.term == 0 ? ", no writer yet" : "  writer \(last.writer)")  frame \(last.frame)"
            )
        } else {
            print("the last message cannot be read")
        }
        for node in status.nodes {
            print(
                "  node \(node.name)  \(node.role)  term \(node.term)  frame \(node.appliedFrame)  "
                    + "synced \(node.syncedFrame)  version \(node.version)\(node.address.isEmpty ? "" : "  \(node.address)")"
            )
        }
        if status.nodes.isEmpty { print("no node was heard for two seconds") }
        print("every NATS server needs sync_interval: always, which cannot be read remotely")
    }

    private static func showJSON(_ status: ClusterStatus) {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(status) else { return }
        print(String(decoding: bytes, as: UTF8.self))
    }
}
