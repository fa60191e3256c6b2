/// The reports of one run, with the machine that produced them.
public struct ReportBook: Codable, Sendable, Equatable {
    public var machine: Machine
    /// The start of the run: RFC 3339, UTC.
    public var started: String
    /// The command line, in a form that can be run again.
    public var command: String
    /// The output of `belfry --version`; nil if unavailable.
    public var server: String?
    public var reports: [Report]
    /// The duration of the run; nil if not measured.
    public var seconds: Double?
    /// Whether the tester, and so most likely the server, was built without optimisation; nil if unknown.
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

/// The machine that the run was measured on.
public struct Machine: Codable, Sendable, Equatable {
    public var processor: String
    public var cores: Int
    /// Bytes.
    public var memory: Int
    public var kernel: String
    /// The noise before the run: the same work timed repeatedly, the slowest time divided by the fastest. 1 is a quiet
    /// machine.
    public var noise: Double
    /// The noise after the run; nil if not measured.
    public var noiseAfter: Double?
    /// Whether it is a virtual machine that shares its host; nil if unknown.
    public var isVirtual: Bool?
    /// The type of file system that holds the journals of spawned servers, such as `ext4`; nil if unknown.
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
