// swift-tools-version: 6.2

import PackageDescription

/// A folder and its targets.
struct Layer {
    let targets: [Target]

    init(_ folder: String, _ targets: [Target]) {
        for target in targets { target.path = "\(folder)/\(target.name)" }
        self.targets = targets
    }
}

/// Without the trait, nothing needs libnats: the files of `NATS` and its tests are empty.
let clustered: TargetDependencyCondition? = .when(traits: ["Cluster"])

/// Bottom up: a target depends only on targets before it. `Tests/Repository/TidyTests` checks this.
let layers: [Layer] = [
    Layer(
        "Sources/System",
        [
            .systemLibrary(name: "CCurl"),
            .systemLibrary(name: "CEpoll"),
            .systemLibrary(name: "CNats"),
            .target(name: "CRE2"),
            .systemLibrary(name: "COpenSSL"),
            .systemLibrary(name: "CSQLite"),
            .systemLibrary(name: "CZlib"),
            .target(name: "Cryptography", dependencies: ["COpenSSL"]),
        ]),
    Layer(
        "Sources/Plugins",
        [
            .plugin(name: "CommitPlugin", capability: .buildTool),
            .plugin(name: "PagePlugin", capability: .buildTool),
        ]),
    // Pure: no clock, randomness, socket, queue, file or logger.
    Layer(
        "Sources/Core",
        [
            .target(name: "ChatModel"),
            .target(name: "WireProtocol", dependencies: ["ChatModel"]),
            .target(name: "SearchText"),
            .target(name: "TextRules", dependencies: ["CRE2", "SearchText"]),
            .target(
                name: "ChatDomain",
                dependencies: [
                    "ChatModel", "SearchText", "TextRules", .product(name: "HeapModule", package: "swift-collections"),
                    .product(name: "DequeModule", package: "swift-collections"),
                ]),
            .target(name: "ImportFormats", dependencies: ["ChatModel", "WireProtocol"]),
            .target(
                name: "WebSocketCodec",
                dependencies: [
                    "CZlib", "Cryptography",
                    .product(name: "HTTPTypes", package: "swift-http-types"),
                ]),
            .target(
                name: "HTTPCodec",
                dependencies: [.product(name: "HTTPTypes", package: "swift-http-types")]),
            .target(
                name: "Gateway",
                dependencies: [
                    "ChatModel", "WireProtocol",
                    .product(name: "DequeModule", package: "swift-collections"),
                ]),
            .target(
                name: "Records",
                dependencies: [
                    "ChatModel", "WireProtocol", "ChatDomain",
                    .product(name: "SwiftProtobuf", package: "swift-protobuf"),
                ],
                exclude: ["records.proto", "state.proto", "generate"]),
        ]),
    // Queues, sockets, files, time.
    Layer(
        "Sources/Engine",
        [
            .target(name: "MetricTable", dependencies: [.product(name: "CoreMetrics", package: "swift-metrics")]),
            .target(name: "EventLoops", dependencies: ["CEpoll"]),
            .target(name: "TLS", dependencies: ["COpenSSL", "EventLoops"]),
            .target(name: "Journal", dependencies: ["CZlib", "ChatModel", "ChatDomain", "Records"]),
            .target(
                name: "ChatEngine",
                dependencies: [
                    "MetricTable", "ChatModel", "WireProtocol", "ChatDomain", "WebSocketCodec", "Gateway", "Journal",
                    .product(name: "DequeModule", package: "swift-collections"),
                    .product(name: "Metrics", package: "swift-metrics"),
                ]),
        ]),
    Layer(
        "Sources/Server",
        [
            .target(
                name: "Webhooks",
                dependencies: [
                    "CCurl", "Cryptography", "MetricTable", "ChatModel", "WireProtocol", "ChatDomain", "EventLoops",
                    "Journal", "ChatEngine",
                    .product(name: "DequeModule", package: "swift-collections"),
                    .product(name: "Metrics", package: "swift-metrics"),
                ]),
            .target(
                name: "SearchIndex",
                dependencies: [
                    "CSQLite", "MetricTable", "ChatModel", "SearchText", "ChatDomain", "Journal", "ChatEngine",
                    .product(name: "DequeModule", package: "swift-collections"),
                    .product(name: "Metrics", package: "swift-metrics"),
                ]),
            .target(
                name: "API",
                dependencies: [
                    "Cryptography", "MetricTable", "ChatModel", "WireProtocol", "ChatDomain", "ChatEngine", "Gateway",
                    .product(name: "DequeModule", package: "swift-collections"),
                    .product(name: "HTTPTypes", package: "swift-http-types"),
                    .product(name: "Metrics", package: "swift-metrics"),
                ]),
            .target(
                name: "Page", dependencies: ["Cryptography", "HTTPCodec"], exclude: ["web", "console"],
                plugins: ["PagePlugin"]),
            .target(
                name: "Transport",
                dependencies: [
                    "ChatModel", "WireProtocol", "ChatDomain", "WebSocketCodec", "HTTPCodec", "Gateway", "EventLoops",
                    "MetricTable", "ChatEngine", "API", "TLS", "Page",
                    .product(name: "DequeModule", package: "swift-collections"),
                    .product(name: "HTTPTypes", package: "swift-http-types"),
                    .product(name: "Logging", package: "swift-log"),
                    .product(name: "Metrics", package: "swift-metrics"),
                ]),
        ]),
    // Several nodes.
    Layer(
        "Sources/Cluster",
        [
            .target(
                name: "Replication",
                dependencies: [
                    "Cryptography", "ChatModel", "ChatDomain", "Gateway", "Records", "Journal",
                    .product(name: "DequeModule", package: "swift-collections"),
                    .product(name: "SwiftProtobuf", package: "swift-protobuf"),
                ],
                exclude: ["replication.proto", "generate"]),
            .target(
                name: "Cluster",
                dependencies: [
                    "ChatModel", "ChatDomain", "Gateway", "WireProtocol", "Journal", "ChatEngine", "Transport",
                    "Replication", .product(name: "DequeModule", package: "swift-collections"),
                    .product(name: "SwiftProtobuf", package: "swift-protobuf"),
                ],
                exclude: ["messages.proto", "generate"]),
            .target(
                name: "NATS", dependencies: ["Replication", .byName(name: "CNats", condition: clustered)]),
        ]),
    Layer(
        "Sources",
        [
            .target(
                name: "Belfry",
                dependencies: [
                    "ChatModel", "WireProtocol", "ChatDomain", "ImportFormats", "Gateway", "EventLoops", "Journal",
                    "ChatEngine", "API", "Transport", "WebSocketCodec", "HTTPCodec", "Webhooks", "SearchIndex", "TLS",
                    "Page",
                    "MetricTable",
                    .byName(name: "Cryptography", condition: clustered),
                    .byName(name: "Replication", condition: clustered),
                    .byName(name: "Cluster", condition: clustered), .byName(name: "NATS", condition: clustered),
                    .product(name: "Configuration", package: "swift-configuration"),
                    .product(name: "HTTPTypes", package: "swift-http-types"),
                    .product(name: "Logging", package: "swift-log"),
                    .product(name: "CoreMetrics", package: "swift-metrics"),
                    .product(name: "Metrics", package: "swift-metrics"),
                    .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                    .product(name: "SystemPackage", package: "swift-system"),
                ],
                plugins: ["CommitPlugin"]),
            .target(
                name: "BelfryClient",
                dependencies: ["ChatModel", "WireProtocol", "WebSocketCodec", "HTTPCodec", "EventLoops", "TLS"]),
        ]),
    Layer(
        "Sources/Simulator",
        [
            .target(
                name: "Simulation",
                dependencies: [
                    "ChatModel", "WireProtocol", "ChatDomain", "Gateway", "EventLoops", "Journal", "ChatEngine", "API",
                    "Transport", "Records", "Replication", "Cluster",
                    .product(name: "CoreMetrics", package: "swift-metrics"),
                    .product(name: "Logging", package: "swift-log"),
                ]),
            .executableTarget(
                name: "BelfrySimulate",
                dependencies: ["Simulation", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
        ]),
    Layer(
        "Sources/Programs",
        [
            .executableTarget(
                name: "BelfryCommand",
                dependencies: [
                    "Belfry", "BelfryClient",
                    .product(name: "ArgumentParser", package: "swift-argument-parser"),
                    .product(name: "Logging", package: "swift-log"),
                    .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                    .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                ])
        ]),
    Layer(
        "Sources/Programs/Examples",
        [
            .executableTarget(
                name: "EmbeddedExample",
                dependencies: [
                    "Belfry",
                    .product(name: "Logging", package: "swift-log"),
                    .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                ]),
            .executableTarget(
                name: "NotifierExample",
                dependencies: [
                    "Belfry",
                    .product(name: "Logging", package: "swift-log"),
                    .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                ]),
        ]),
    Layer(
        "Tests/Support",
        [
            .target(name: "TestSupport"),
            .target(name: "CSpawn"),
            .target(name: "ChildProcesses", dependencies: ["CSpawn"]),
            .target(name: "SigningSupport", dependencies: ["COpenSSL"]),
            .target(
                name: "LiveServers",
                dependencies: [
                    "ChildProcesses", "HTTPCodec", "Belfry", .product(name: "HTTPTypes", package: "swift-http-types"),
                    .product(name: "Logging", package: "swift-log"),
                ]),
            .target(
                name: "Workloads",
                dependencies: [
                    "TestSupport", "ChatModel", "WireProtocol", "ChatDomain", "WebSocketCodec", "Gateway", "Records",
                    "Journal", "ChatEngine", "API",
                ]),
            .target(
                name: "ClusterSupport",
                dependencies: [
                    "ChatModel", "WireProtocol", "ChatDomain", "Gateway", "Records", "Journal", "ChatEngine", "API",
                    "Replication", "Cluster", .product(name: "CoreMetrics", package: "swift-metrics"),
                ]),
            .executableTarget(
                name: "DomainBenchmarks",
                dependencies: [
                    "Workloads", "ChatModel", "WireProtocol", "ChatDomain", "Gateway", "Journal", "ChatEngine",
                    .product(name: "CoreMetrics", package: "swift-metrics"),
                ]),
        ]),
    Layer(
        "Tests/System",
        [
            .testTarget(
                name: "CryptographyTests", dependencies: ["COpenSSL", "Cryptography", "SigningSupport"])
        ]),
    Layer(
        "Tests/Core",
        [
            .testTarget(name: "ChatModelTests", dependencies: ["ChatModel", "TestSupport"]),
            .testTarget(
                name: "WireProtocolTests", dependencies: ["ChatModel", "WireProtocol", "TestSupport"]),
            .testTarget(name: "SearchTextTests", dependencies: ["SearchText", "TestSupport"]),
            .testTarget(name: "TextRulesTests", dependencies: ["TextRules", "TestSupport"]),
            .testTarget(
                name: "ChatDomainTests", dependencies: ["TestSupport", "ChatModel", "WireProtocol", "ChatDomain"]),
            .testTarget(
                name: "ImportFormatsTests", dependencies: ["ChatModel", "WireProtocol", "ImportFormats"],
                exclude: ["Samples"]),
            .testTarget(
                name: "WebSocketCodecTests",
                dependencies: [
                    "TestSupport", "WebSocketCodec", .product(name: "HTTPTypes", package: "swift-http-types"),
                ]),
            .testTarget(
                name: "HTTPCodecTests",
                dependencies: ["TestSupport", "HTTPCodec", .product(name: "HTTPTypes", package: "swift-http-types")]),
            .testTarget(
                name: "GatewayTests", dependencies: ["TestSupport", "ChatModel", "WireProtocol", "Gateway"]),
            .testTarget(
                name: "RecordsTests", dependencies: ["ChatModel", "ChatDomain", "Records"], exclude: ["Golden"]),
        ]),
    Layer(
        "Tests/Engine",
        [
            .testTarget(
                name: "EventLoopsTests", dependencies: ["TestSupport", "CEpoll", "EventLoops"]),
            .testTarget(
                name: "TLSTests",
                dependencies: [
                    "ChildProcesses", "Belfry", "EventLoops", "TLS", .product(name: "Logging", package: "swift-log"),
                ]),
            .testTarget(
                name: "JournalTests",
                dependencies: ["ChatModel", "ChatDomain", "Journal", "Records", "Simulation", "TestSupport"]),
            .testTarget(
                name: "ChatEngineTests",
                dependencies: [
                    "TestSupport", "ChatModel", "WireProtocol", "ChatDomain", "Gateway", "Journal", "ChatEngine",
                    .product(name: "CoreMetrics", package: "swift-metrics"),
                ]),
        ]),
    Layer(
        "Tests/Server",
        [
            .testTarget(
                name: "WebhooksTests",
                dependencies: [
                    "ChatModel", "EventLoops", "Journal", "ChatEngine", "Webhooks",
                    .product(name: "CoreMetrics", package: "swift-metrics"),
                ]),
            .testTarget(
                name: "SearchIndexTests",
                dependencies: [
                    "TestSupport", "ChatModel", "SearchText", "ChatDomain", "Journal", "ChatEngine", "SearchIndex",
                    .product(name: "CoreMetrics", package: "swift-metrics"),
                ]),
            .testTarget(
                name: "APITests",
                dependencies: [
                    "TestSupport", "SigningSupport", "Workloads", "LiveServers", "Cryptography", "ChatModel",
                    "WireProtocol", "TextRules", "ChatDomain", "Gateway", "Journal", "ChatEngine", "API",
                    .product(name: "CoreMetrics", package: "swift-metrics"),
                    .product(name: "HTTPTypes", package: "swift-http-types"),
                ]),
            .testTarget(
                name: "PageTests",
                dependencies: [
                    "ChatDomain", "HTTPCodec", "Page", "WireProtocol",
                    .product(name: "HTTPTypes", package: "swift-http-types"),
                ]),
            .testTarget(
                name: "TransportTests",
                dependencies: [
                    "ChatDomain", "ChatModel", "EventLoops", "Gateway", "WebSocketCodec", "WireProtocol", "API",
                    "Transport", "Belfry", "MetricTable", "Journal",
                    .product(name: "Logging", package: "swift-log"),
                    .product(name: "CoreMetrics", package: "swift-metrics"),
                    .product(name: "HTTPTypes", package: "swift-http-types"),
                ]),
        ]),
    Layer(
        "Tests/Cluster",
        [
            .testTarget(
                name: "ReplicationTests",
                dependencies: [
                    "TestSupport", "ClusterSupport", "ChatModel", "ChatDomain", "Gateway", "Records", "Journal",
                    "Replication", "Simulation",
                ]),
            .testTarget(
                name: "NodeTests",
                dependencies: [
                    "TestSupport", "ClusterSupport", "ChatModel", "ChatDomain", "ChatEngine", "Gateway", "Journal",
                    "Replication", "Cluster",
                ]),
            .testTarget(
                name: "NATSTests",
                dependencies: [
                    "ChildProcesses", "LiveServers", "ClusterSupport", "Belfry", "ChatModel", "ChatDomain", "NATS",
                    "Replication",
                    .product(name: "CoreMetrics", package: "swift-metrics"),
                    .product(name: "Logging", package: "swift-log"),
                ]),
        ]),
    Layer(
        "Tests/Libraries",
        [
            .testTarget(
                name: "BelfryClientTests",
                dependencies: [
                    "BelfryClient", "ChatModel", "WireProtocol", "WebSocketCodec", "HTTPCodec", "EventLoops",
                    .product(name: "HTTPTypes", package: "swift-http-types"),
                ]),
            .testTarget(
                name: "IntegrationTests",
                dependencies: [
                    "ChildProcesses", "API", "Belfry", "BelfryClient", "ChatModel", "EventLoops", "HTTPCodec",
                    "WebSocketCodec",
                    "WireProtocol",
                    .product(name: "CoreMetrics", package: "swift-metrics"),
                    .product(name: "HTTPTypes", package: "swift-http-types"),
                    .product(name: "Logging", package: "swift-log"),
                ]),
        ]),
    Layer(
        "Tests/Simulator",
        [
            .testTarget(
                name: "SimulationTests",
                dependencies: [
                    "ChildProcesses", "BelfrySimulate", "ChatModel", "ChatDomain", "Simulation", "WireProtocol",
                ]),
            .testTarget(
                name: "ModelTests",
                dependencies: [
                    "TestSupport", "LiveServers", "ChatModel", "WireProtocol", "ChatDomain", "Records",
                    "BelfryClient",
                    .product(name: "HTTPTypes", package: "swift-http-types"),
                ]),
        ]),
    Layer(
        "Tests/Repository",
        [
            .testTarget(
                name: "DocumentationTests",
                dependencies: [
                    "API", "Belfry", "BelfryClient", "ChatDomain", "ChatModel", "MetricTable", "WireProtocol",
                    .product(name: "Logging", package: "swift-log"),
                    .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                ]),
            .testTarget(name: "TidyTests"),
        ]),
]

let package = Package(
    name: "belfry",
    products: [
        .executable(name: "belfry", targets: ["BelfryCommand"]),
        .executable(name: "belfry-simulate", targets: ["BelfrySimulate"]),
        .library(name: "Belfry", targets: ["Belfry"]),
        .library(name: "BelfryClient", targets: ["BelfryClient"]),
    ],
    traits: [.trait(name: "Cluster", description: "Several nodes on NATS JetStream. Needs libnats 3.4.")],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: layers.flatMap(\.targets)
)

// The micro-benchmarks need a library that nobody else should have to build: `loadtest/benchmarks` asks for it. The library finds
// only targets in a folder named Benchmarks.
if Context.environment["BELFRY_BENCHMARKS"] != nil {
    package.dependencies.append(.package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []))
    package.targets.append(
        .executableTarget(
            name: "PartBenchmarks",
            dependencies: ["Workloads", .product(name: "Benchmark", package: "benchmark")],
            path: "Tests/Support/Benchmarks/PartBenchmarks",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]))
}

// Warnings are errors: a warning that is tolerated once is never fixed.
for target in package.targets where [.regular, .executable, .test].contains(target.type) {
    target.swiftSettings = [.treatAllWarnings(as: .error)]
}
