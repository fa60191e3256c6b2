import FoundationEssentials
import Gateway
import Glibc

extension Configuration {
    /// Several nodes that share one chat through NATS JetStream. Without NATS servers, this server is the only node.
    public struct Cluster: Sendable, Equatable {
        /// URLs of NATS servers, such as `nats://host:4222`; connections to `tls:` URLs are encrypted. They contain no
        /// password: see `credentialsFile`.
        public var servers: [String] = []
        /// Distinguishes clusters that share NATS servers: letters, digits, `-` and `_`, at most 64.
        public var name = "belfry"
        /// This node's name, different from those of all other nodes: letters, digits, `-` and `_`, at most 64. Nil for
        /// the host name up to its first dot.
        public var node: String?
        /// A file with the credentials for NATS: a `.creds` file, or a line `user:password`.
        public var credentialsFile: String?
        /// A PEM file of certificates to trust instead of the system's. With it or `certificateFile`, all connections are
        /// encrypted.
        public var authoritiesFile: String?
        /// A PEM file with this node's certificate for NATS, followed by the intermediates.
        public var certificateFile: String?
        /// A PEM file with the private key of the certificate.
        public var keyFile: String?
        /// The number of NATS servers that store the log: 1, 3 or 5. One is not fault tolerant.
        public var replicas = 3
        /// The size in bytes at which the log refuses new messages; 0 for no limit. Applies when the log is created.
        public var maxBytes = 0
        /// How long the log keeps messages that all nodes have, in hours; at most 8,760.
        public var keepHours = 24
        /// How long startup waits for NATS, and for another node to copy from, in seconds; 0 waits for ever.
        public var waitSeconds = 30
        /// The address at which clients reach this node, shown to operators.
        public var address: String?

        /// Creates options without NATS servers.
        public init() {}

        /// Whether there are NATS servers.
        public var isEnabled: Bool { !servers.isEmpty }

        /// Replaces the servers by those of `--cluster-url`, comma-separated lists; none changes nothing.
        package mutating func useServers(_ lists: [String]) {
            guard !lists.isEmpty else { return }
            servers = lists.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        }

        /// `name`, for the settings table, whose texts are optional.
        var givenName: String? {
            get { name }
            set { if let newValue { name = newValue } }
        }

        static let minimumMaxBytes = 16_777_216
        /// Nodes tell each other their addresses several times a second.
        static let addressLimit = 255

        /// Whether a text is the URL of a NATS server.
        static func isServer(_ text: String) -> Bool {
            guard text.utf8.count <= 2_048, let url = URL(string: text), let scheme = url.scheme, let host = url.host()
            else { return false }
            return ["nats", "tls"].contains(scheme) && !host.isEmpty && ["", "/"].contains(url.path)
                && url.query == nil && url.fragment == nil && (1...65_535).contains(url.port ?? 4_222)
        }

        /// Returns the node's name.
        ///
        /// - Throws: When it does not fit into a subject of NATS.
        package func nodeName() throws(ConfigurationError) -> String {
            if let node {
                guard Self.isName(node) else {
                    throw ConfigurationError("cluster.node must be 1 to 64 letters, digits, - and _, not \"\(node)\"")
                }
                return node
            }
            let host = Self.hostName
            guard Self.isName(host) else {
                throw ConfigurationError("the host name \"\(host)\" cannot name this node: set cluster.node")
            }
            return host
        }

        private static func isName(_ text: String) -> Bool {
            (1...NodeID.nameLimit).contains(text.utf8.count)
                && text.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                        true
                    default: false
                    }
                }
        }

        /// The host name up to its first dot.
        private static var hostName: String {
            var name = [CChar](repeating: 0, count: 256)
            guard gethostname(&name, name.count - 1) == 0 else { return "" }
            let bytes = name.prefix { $0 != 0 && $0 != CChar(UInt8(ascii: ".")) }.map { UInt8(bitPattern: $0) }
            return String(decoding: bytes, as: UTF8.self)
        }

        /// - Throws: For values that the settings table alone cannot refuse.
        fileprivate func check() throws(ConfigurationError) {
            guard Self.isName(name) else {
                throw ConfigurationError("cluster.name must be 1 to 64 letters, digits, - and _, not \"\(name)\"")
            }
            _ = try nodeName()
            for server in servers {
                guard !server.contains("@") else {
                    throw ConfigurationError(
                        "cluster.url must not contain a user name or password: put them into cluster.credentials_file")
                }
                guard Self.isServer(server) else {
                    throw ConfigurationError("cluster.url must be a list of URLs of NATS servers, as nats://host:4222")
                }
            }
            guard [1, 3, 5].contains(replicas) else { throw ConfigurationError("cluster.replicas must be 1, 3 or 5") }
            guard maxBytes == 0 || maxBytes >= Self.minimumMaxBytes else {
                throw ConfigurationError("cluster.max_bytes must be 0 or at least \(Self.minimumMaxBytes)")
            }
            guard (0...8_760).contains(keepHours) else {
                throw ConfigurationError("cluster.keep_hours must be 0 to 8760")
            }
            guard (0...86_400).contains(waitSeconds) else {
                throw ConfigurationError("cluster.wait_seconds must be 0 to 86400")
            }
            guard (address ?? "").utf8.count <= Self.addressLimit else {
                throw ConfigurationError("cluster.address must have at most \(Self.addressLimit) bytes")
            }
            guard (certificateFile == nil) == (keyFile == nil) else {
                throw ConfigurationError("cluster.certificate_file and cluster.key_file need each other")
            }
            for path in [credentialsFile, authoritiesFile, certificateFile, keyFile].compactMap(\.self) {
                guard access(path, R_OK) == 0 else {
                    throw ConfigurationError("cannot read \"\(path)\": \(String(cString: strerror(errno)))")
                }
            }
        }
    }

    /// - Throws: For unusable settings, and in a build that cannot connect to NATS.
    func checkCluster() throws(ConfigurationError) {
        guard cluster.isEnabled else {
            let defaults = Configuration()
            for setting in Setting.table where setting.key.hasPrefix("cluster.") {
                guard setting.place.isSame(self, defaults) else {
                    throw ConfigurationError(
                        "\(setting.key) needs cluster.url: without NATS servers, this server is the only node")
                }
            }
            return
        }
        #if Cluster
        try cluster.check()
        #else
        throw .needsClusterTrait
        #endif
    }
}

extension ConfigurationError {
    static let needsClusterTrait = ConfigurationError(
        "cluster.url needs a build for several nodes: swift build --traits Cluster (with libnats-dev), "
            + "or the image")
}
