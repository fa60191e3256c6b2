// swift-tools-version: 6.2

import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// A package of its own, so that who embeds Belfry does not inherit what only measuring needs.
let package = Package(
    name: "belfry-loadtest",
    products: [.executable(name: "belfry-load", targets: ["BelfryLoad"])],
    dependencies: [
        .package(name: "belfry", path: ".."),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        // What a run has shown, and how it is told: no clock, no socket, no file.
        .target(name: "LoadReport", swiftSettings: strict),
        .systemLibrary(name: "CLibcrypto"),
        .systemLibrary(name: "CSockets"),
        // The same raw load for every server that is compared: no client library in between.
        .target(name: "RawLoad", dependencies: ["CSockets"], swiftSettings: strict),
        .testTarget(name: "RawLoadTests", dependencies: ["RawLoad"], swiftSettings: strict),
        .executableTarget(
            name: "BelfryLoad",
            dependencies: [
                "CLibcrypto",
                "LoadReport",
                "RawLoad",
                .product(name: "BelfryClient", package: "belfry"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .testTarget(name: "LoadReportTests", dependencies: ["LoadReport"], swiftSettings: strict),
        .testTarget(name: "BelfryLoadTests", dependencies: ["BelfryLoad"], swiftSettings: strict),
    ]
)
