/// The reports of one run, and on what they were made.
public struct ReportBook: Codable, Sendable, Equatable {
    public var machine: Machine
    /// When it began: RFC 3339, UTC.
    public var started: String
    /// What was run, as one could type it again.
    public var command: String
    /// What `belfry --version` says; nil for a server that could not be asked.
    public var server: String?
    public var reports: [Report]
    /// How long it all took; nil where nobody looked.
    public var seconds: Double?
    /// Whether the tester, and with it most likely the server, was built without optimisation; nil where nobody looked.
    public var isDebugBuild: Bool?

    public init(
        machine: Machine, started: String, command: String, server: String?, reports: [Report],
        seconds: Double? = nil, isDebugBuild: Bool? = nil
    ) {
        self.machine = machine
        self.started = started
        self.command = command
        self.server = server
        self.reports = reports
        self.seconds = seconds
        self.isDebugBuild = isDebugBuild
    }

    public var isGood: Bool { reports.allSatisfy(\.isGood) }
}

/// What the figures were made on.
public struct Machine: Codable, Sendable, Equatable {
    public var processor: String
    public var cores: Int
    /// Bytes.
    public var memory: Int
    public var kernel: String
    /// The same piece of work, timed again and again before the run: the slowest by the fastest. 1 is a quiet machine.
    public var noise: Double
    /// The same after the run; nil where nobody looked.
    public var noiseAfter: Double?
    /// Whether it shares a host with others; nil where nobody looked.
    public var isVirtual: Bool?
    /// The kind of file system that servers started here keep their journal on, such as `ext4`; nil where nobody
    /// looked.
    public var fileSystem: String?

    public init(
        processor: String, cores: Int, memory: Int, kernel: String, noise: Double, noiseAfter: Double? = nil,
        isVirtual: Bool? = nil, fileSystem: String? = nil
    ) {
        self.processor = processor
        self.cores = cores
        self.memory = memory
        self.kernel = kernel
        self.noise = noise
        self.noiseAfter = noiseAfter
        self.isVirtual = isVirtual
        self.fileSystem = fileSystem
    }
}
