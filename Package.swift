// swift-tools-version: 6.2

import PackageDescription

/// Every target is built in Swift 6 mode with warnings as errors: a warning that is allowed once is never mended.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// Targets stand bottom up; `Tests/TidyTests` checks that no import climbs. The pure ones know no clock, randomness,
/// socket, queue, file or logger.
let package = Package(
    name: "belfry",
    products: [
        .executable(name: "belfry", targets: ["BelfryCommand"]),
        .executable(name: "belfry-simulate", targets: ["BelfrySimulate"]),
        .library(name: "Belfry", targets: ["Belfry"]),
        .library(name: "BelfryClient", targets: ["BelfryClient"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        .systemLibrary(name: "CEpoll"),
        .systemLibrary(name: "CCurl"),
        .systemLibrary(name: "CISAL"),
        .systemLibrary(name: "COpenSSL"),
        .systemLibrary(name: "CZlib"),
        // Pure.
        .target(name: "ChatModel", swiftSettings: strict),
        .target(name: "WireProtocol", dependencies: ["ChatModel"], swiftSettings: strict),
        .target(
            name: "ChatDomain",
            dependencies: [
                "ChatModel", .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: strict),
        .target(
            name: "WebSocketCodec",
            dependencies: [
                "CZlib",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict),
        .target(
            name: "HTTPCodec",
            dependencies: [.product(name: "HTTPTypes", package: "swift-http-types")],
            swiftSettings: strict),
        .target(
            name: "Gateway",
            dependencies: [
                "ChatModel", "WireProtocol",
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: strict),
        .target(
            name: "Records",
            dependencies: [
                "ChatModel", "WireProtocol", "ChatDomain",
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            exclude: ["records.proto", "state.proto", "generate"], swiftSettings: strict),
        // Queues, sockets, time.
        .target(name: "EventLoops", dependencies: ["CEpoll"], swiftSettings: strict),
        .target(name: "TLS", dependencies: ["COpenSSL"], swiftSettings: strict),
        .target(name: "Journal", dependencies: ["CISAL", "ChatDomain", "Records"], swiftSettings: strict),
        .target(
            name: "ChatEngine",
            dependencies: [
                "ChatModel", "WireProtocol", "ChatDomain", "WebSocketCodec", "Gateway", "Journal",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Metrics", package: "swift-metrics"),
            ],
            swiftSettings: strict),
        .target(
            name: "Webhooks",
            dependencies: [
                "CCurl", "ChatModel", "WireProtocol", "EventLoops", "Journal", "ChatEngine",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Metrics", package: "swift-metrics"),
            ],
            swiftSettings: strict),
        .target(
            name: "API",
            dependencies: [
                "ChatModel", "WireProtocol", "ChatDomain", "ChatEngine", "Gateway",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        .target(
            name: "Page", dependencies: ["HTTPCodec", .product(name: "Crypto", package: "swift-crypto")],
            exclude: ["web"], swiftSettings: strict, plugins: ["PagePlugin"]),
        .plugin(name: "PagePlugin", capability: .buildTool, path: "Sources/PagePlugin"),
        .target(
            name: "Transport",
            dependencies: [
                "ChatModel", "WireProtocol", "ChatDomain", "WebSocketCodec", "HTTPCodec", "Gateway", "EventLoops",
                "ChatEngine", "API", "TLS", "Page",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
            ],
            swiftSettings: strict),
        .target(
            name: "Simulation",
            dependencies: [
                "ChatModel", "WireProtocol", "ChatDomain", "Gateway", "EventLoops", "Journal", "ChatEngine", "API",
                "Transport",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        // Libraries and executables.
        .target(
            name: "Belfry",
            dependencies: [
                "ChatModel", "WireProtocol", "ChatDomain", "Gateway", "EventLoops", "Journal", "ChatEngine", "API",
                "Transport", "WebSocketCodec", "HTTPCodec", "Webhooks", "TLS", "Page",
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict,
            plugins: ["CommitPlugin"]),
        .plugin(name: "CommitPlugin", capability: .buildTool, path: "Sources/CommitPlugin"),
        .target(
            name: "BelfryClient",
            dependencies: ["ChatModel", "WireProtocol", "WebSocketCodec", "HTTPCodec", "EventLoops", "TLS"],
            swiftSettings: strict),
        .executableTarget(
            name: "BelfryCommand",
            dependencies: [
                "Belfry", "BelfryClient",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "EmbeddedExample",
            dependencies: [
                "Belfry",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Sources/Examples/EmbeddedExample", swiftSettings: strict),
        .executableTarget(
            name: "NotifierExample",
            dependencies: [
                "Belfry",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Sources/Examples/NotifierExample", swiftSettings: strict),
        .executableTarget(
            name: "BelfrySimulate",
            dependencies: ["Simulation", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: strict),
        // Tests.
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
        .target(
            name: "Workloads",
            dependencies: [
                "TestSupport", "ChatModel", "WireProtocol", "ChatDomain", "WebSocketCodec", "Gateway", "Records",
                "Journal", "ChatEngine", "API",
            ],
            path: "Tests/Workloads", swiftSettings: strict),
        .executableTarget(
            name: "DomainBenchmarks",
            dependencies: [
                "Workloads", "ChatModel", "WireProtocol", "ChatDomain", "Gateway", "Journal", "ChatEngine",
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ],
            path: "Tests/DomainBenchmarks", swiftSettings: strict),
        .executableTarget(
            name: "AllocationCounts", dependencies: ["Workloads"], path: "Tests/AllocationCounts",
            swiftSettings: strict),
        .testTarget(name: "TidyTests", swiftSettings: strict),
        .testTarget(
            name: "WireProtocolTests", dependencies: ["ChatModel", "WireProtocol", "TestSupport"],
            swiftSettings: strict),
        .testTarget(name: "ChatModelTests", dependencies: ["ChatModel", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "WebSocketCodecTests",
            dependencies: [
                "TestSupport", "WebSocketCodec", .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HTTPCodecTests",
            dependencies: ["TestSupport", "HTTPCodec", .product(name: "HTTPTypes", package: "swift-http-types")],
            swiftSettings: strict),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "API", "Belfry", "BelfryClient", "ChatDomain", "ChatModel", "WireProtocol",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "API", "Belfry", "ChatModel", "EventLoops", "HTTPCodec", "WebSocketCodec", "WireProtocol",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BelfryClientTests",
            dependencies: [
                "BelfryClient", "ChatModel", "WireProtocol", "WebSocketCodec", "HTTPCodec", "EventLoops",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EventLoopsTests", dependencies: ["TestSupport", "CEpoll", "EventLoops"], swiftSettings: strict),
        .testTarget(
            name: "TLSTests",
            dependencies: [
                "Belfry", "TLS", .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "GatewayTests", dependencies: ["TestSupport", "ChatModel", "WireProtocol", "Gateway"],
            swiftSettings: strict),
        .testTarget(
            name: "RecordsTests", dependencies: ["ChatModel", "ChatDomain", "Records"], exclude: ["Golden"],
            swiftSettings: strict),
        .testTarget(
            name: "JournalTests",
            dependencies: ["ChatModel", "ChatDomain", "Journal", "Records", "Simulation", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["BelfrySimulate", "ChatModel", "ChatDomain", "Simulation", "WireProtocol"],
            swiftSettings: strict),
        .testTarget(
            name: "ChatEngineTests",
            dependencies: [
                "TestSupport", "ChatModel", "WireProtocol", "ChatDomain", "Gateway", "Journal", "ChatEngine",
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "APITests",
            dependencies: [
                "TestSupport", "Workloads", "ChatModel", "WireProtocol", "ChatDomain", "Gateway", "Journal",
                "ChatEngine", "API",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "PageTests",
            dependencies: [
                "ChatDomain", "HTTPCodec", "Page", "WireProtocol",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "WebhooksTests",
            dependencies: [
                "ChatModel", "EventLoops", "Journal", "Webhooks",
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "TransportTests",
            dependencies: [
                "ChatDomain", "ChatModel", "EventLoops", "Gateway", "WebSocketCodec", "WireProtocol", "API",
                "Transport", "Belfry",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ModelTests",
            dependencies: [
                "TestSupport", "ChatModel", "WireProtocol", "ChatDomain", "Records", "HTTPCodec", "Belfry",
                "BelfryClient",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ChatDomainTests", dependencies: ["TestSupport", "ChatModel", "WireProtocol", "ChatDomain"],
            swiftSettings: strict),
    ]
)

// The micro-benchmarks need a library that nobody else is to build: `loadtest/benchmarks` asks for it. It finds only what
// lies in a folder named Benchmarks.
if Context.environment["BELFRY_BENCHMARKS"] != nil {
    package.dependencies.append(.package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []))
    package.targets.append(
        .executableTarget(
            name: "PartBenchmarks",
            dependencies: ["Workloads", .product(name: "Benchmark", package: "benchmark")],
            path: "Tests/Benchmarks/PartBenchmarks", swiftSettings: strict,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]))
}
