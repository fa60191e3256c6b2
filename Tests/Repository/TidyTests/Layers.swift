/// The allowed imports according to `Package.swift`: targets bottom up, each with its dependencies.
struct Layers {
    struct Target: Equatable {
        let name: String
        /// Targets of this package and products of others.
        let dependencies: [String]
    }

    /// The targets bottom up, without tests.
    let targets: [Target]

    /// Reads the manifest: `.target(name: "A", dependencies: ["B", .product(name: "C", …)], …)`.
    init(manifest: String) {
        let declaration =
            /\.(?:executableTarget|target)\(\s*name: "(?<name>\w+)"(?:,\s*dependencies: \[(?<list>[^\]]*)\])?/
        let product = /\.product\(name: "(?<name>\w+)"[^)]*\)/
        let quoted = /"(?<name>\w+)"/
        targets = manifest.matches(of: declaration).map { match in
            let list = String(match.output.list ?? "")
            let products = list.matches(of: product).map { String($0.output.name) }
            let own = list.replacing(product, with: "").matches(of: quoted).map { String($0.output.name) }
            return Target(name: String(match.output.name), dependencies: own + products)
        }
    }

    var names: [String] { targets.map(\.name) }

    /// Descriptions of dependencies that are not below the target that names them.
    var climbs: [String] {
        var below: Set<String> = []
        var climbs: [String] = []
        for target in targets {
            for name in target.dependencies where names.contains(name) && !below.contains(name) {
                climbs.append("\(target.name) → \(name)")
            }
            below.insert(target.name)
        }
        return climbs
    }

    /// Returns whether the layers allow a file of `target` to import `module`.
    func allows(_ module: String, in target: String) -> Bool {
        guard names.contains(module) else { return true }
        return targets.first { $0.name == target }?.dependencies.contains(module) ?? true
    }
}
