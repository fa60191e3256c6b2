import API
import HTTPTypes
import Logging
import Transport

/// The routes of a running server. Matches a request and runs its handler in a task.
final class RouteTable: HostRoutes {
    private struct Methods: Sendable {
        var entries: [Routes.Entry] = []

        func entry(for method: HTTPRequest.Method) -> Routes.Entry? {
            entries.first { $0.method == method } ?? (method == .head ? entries.first { $0.method == .get } : nil)
        }

        /// Sorted alphabetically.
        var allowed: String {
            var names = Set(entries.map(\.method.rawValue))
            if names.contains("GET") { names.insert("HEAD") }
            return names.sorted().joined(separator: ", ")
        }
    }

    private let exact: [String: Methods]
    /// Prefix routes, longest first.
    private let prefixes: [(path: String, methods: Methods)]
    private let bodyBytes: Int
    let runner: RouteRunner

    /// - Throws: For a path that is reserved, repeated or invalid, and for a limit below 1.
    init?(
        _ routes: Routes, ownPaths: (String) -> Bool, metrics: () -> RouteMetrics, logger: Logger
    ) throws(ConfigurationError) {
        guard !routes.entries.isEmpty else { return nil }
        let limits = routes.limits
        guard limits.maxConcurrentRequests > 0, limits.bodyBytes >= 0, limits.bufferBytes > 0, limits.bodyTime > .zero
        else {
            throw ConfigurationError("routes.limits: each limit must be at least 1, and bodyBytes at least 0")
        }
        var exact: [String: Methods] = [:]
        var prefixes: [String: Methods] = [:]
        for entry in routes.entries {
            try Self.check(entry, ownPaths)
            switch entry.path {
            case .exact(let path): try Self.add(entry, to: &exact[path, default: Methods()])
            case .prefix(let path): try Self.add(entry, to: &prefixes[path, default: Methods()])
            }
        }
        self.exact = exact
        self.prefixes = prefixes.map { ($0.key, $0.value) }.sorted { $0.path.utf8.count > $1.path.utf8.count }
        bodyBytes = limits.bodyBytes
        runner = RouteRunner(
            middleware: routes.middleware, maxConcurrentRequests: limits.maxConcurrentRequests, metrics: metrics(),
            logger: logger)
    }

    private static func add(_ entry: Routes.Entry, to methods: inout Methods) throws(ConfigurationError) {
        guard !methods.entries.contains(where: { $0.method == entry.method }) else {
            throw ConfigurationError("the route \"\(entry.method.rawValue) \(entry.path)\" is registered twice")
        }
        methods.entries.append(entry)
    }

    private static func check(_ entry: Routes.Entry, _ ownPaths: (String) -> Bool) throws(ConfigurationError) {
        let path: String
        switch entry.path {
        case .exact(let text):
            path = text
            guard !ownPaths(path) else {
                throw ConfigurationError("the route \"\(path)\" is reserved: use another path")
            }
        case .prefix(let text):
            path = text
            guard path.hasSuffix("/") else { throw ConfigurationError("the route prefix \"\(path)\" must end with /") }
            guard !HTTPRoute.isInReservedFolder(path) else {
                throw ConfigurationError("the route \"\(path)\" is reserved: use another path")
            }
        }
        // The characters of a path, RFC 3986 §3.3; clients percent-encode any other.
        let others = Set("-._~!$&'()*+,;=:@%/".utf8)
        let isPath = path.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || others.contains(byte)
        }
        guard path.hasPrefix("/"), isPath else {
            throw ConfigurationError(
                "the route \"\(path)\" must begin with / and percent-encode other characters (RFC 3986)")
        }
        if let bytes = entry.bodyBytes, bytes < 0 {
            throw ConfigurationError("the route \"\(path)\": bodyBytes must be at least 0")
        }
    }

    func match(_ request: HTTPRequest) -> RouteMatch {
        let path = String((request.path ?? "").prefix { $0 != "?" })
        guard let methods = exact[path] ?? prefixes.first(where: { path.hasPrefix($0.path) })?.methods else {
            return .unknown
        }
        guard let entry = methods.entry(for: request.method) else {
            return .methodNotAllowed(allowed: methods.allowed)
        }
        return .matched(bodyBytes: entry.bodyBytes ?? bodyBytes) { [runner] request, exchange in
            runner.start(entry.handler, request, exchange)
        }
    }
}
