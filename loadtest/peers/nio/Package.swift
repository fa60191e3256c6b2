// swift-tools-version: 6.2

import PackageDescription

/// A package of its own: only who compares needs SwiftNIO.
let package = Package(
    name: "nio-peer",
    dependencies: [.package(url: "https://github.com/apple/swift-nio", from: "2.101.2")],
    targets: [
        .executableTarget(
            name: "NIOPeer",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOWebSocket", package: "swift-nio"),
            ])
    ]
)
