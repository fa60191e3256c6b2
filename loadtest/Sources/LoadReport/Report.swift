/// The result of one scenario. The terminal table, the JSON and the HTML page are three views of it.
///
/// A report is self-contained: it has the method, the settings, the results and the checks.
public struct Report: Codable, Sendable, Equatable {
    /// The scenario's name on the command line, such as `fanout`.
    public var scenario: String
    /// The name of this run if one scenario is run in several variants: `bursts of 16`.
    public var title: String?
    /// The question that the run answers, in one sentence for newcomers.
    public var question: String
    /// The method, in a few sentences.
    public var method: String
    /// The settings, in display order.
    public var settings: [Setting]
    /// The results in numbers, the most informative first.
    public var figures: [Figure]
    public var distributions: [Distribution]
    public var series: [Series]
    /// Comparisons of several servers under the same load; empty if only Belfry ran.
    public var comparisons: [Comparison]
    /// The conditions for the figures to be valid.
    public var checks: [Check]
    /// Caveats to the figures.
    public var remarks: [String]
    /// The problems of the run, at most 20; empty for a good run.
    public var problems: [String]
    /// The machine's noise right before or right after the run, whichever is greater; nil if not measured.
    public var noise: Double?
    /// The reasons for the goals, in a few sentences; nil if there are none to give.
    public var aboutGoals: String?

    public init(
        scenario: String, question: String, method: String, settings: [Setting] = [], figures: [Figure] = [],
        distributions: [Distribution] = [], series: [Series] = [], comparisons: [Comparison] = [],
        checks: [Check] = [], remarks: [String] = [], problems: [String] = [], aboutGoals: String? = nil
    ) {
        self.scenario = scenario
        self.question = question
        self.method = method
        self.settings = settings
        self.figures = figures
        self.distributions = distributions
        self.series = series
        self.comparisons = comparisons
        self.checks = checks
        self.remarks = remarks
        self.problems = problems
        self.aboutGoals = aboutGoals
    }

    /// Whether the run is valid: it has no problems and every check passed.
    public var isGood: Bool { problems.isEmpty && checks.allSatisfy(\.passed) }
}

extension Report {
    /// One setting as given: `subscribers` = `1000`.
    public struct Setting: Codable, Sendable, Equatable {
        public var name: String
        public var value: String
        /// Its meaning, in a few words.
        public var meaning: String

        public init(_ name: String, _ value: String, _ meaning: String) {
            self.name = name
            self.value = value
            self.meaning = meaning
        }
    }

    /// One resulting number.
    public struct Figure: Codable, Sendable, Equatable {
        public var name: String
        public var value: Double
        /// The unit as written after the number: `µs`, `ms`, `MiB`, `/s`; empty for ratios and counts.
        public var unit: String
        /// The range of several rounds; nil if there was only one.
        public var spread: ClosedRange<Double>?
        /// The goal for this figure, if any.
        public var goal: Goal?

        public init(
            _ name: String, _ value: Double, _ unit: String = "", spread: ClosedRange<Double>? = nil,
            goal: Goal? = nil
        ) {
            self.name = name
            self.value = value
            self.unit = unit
            self.spread = spread
            self.goal = goal
        }
    }

    /// A bound that a figure should reach.
    public enum Goal: Codable, Sendable, Equatable {
        case atMost(Double)
        case atLeast(Double)

        public func holds(for value: Double) -> Bool {
            switch self {
            case .atMost(let bound): value <= bound
            case .atLeast(let bound): value >= bound
            }
        }
    }

    /// The distribution of values: percentiles of one histogram, never averages of percentiles.
    public struct Distribution: Codable, Sendable, Equatable {
        public struct Point: Codable, Sendable, Equatable {
            /// 0 to 100.
            public var percentile: Double
            public var value: Double

            public init(_ percentile: Double, _ value: Double) {
                self.percentile = percentile
                self.value = value
            }
        }

        public var name: String
        public var unit: String
        /// The number of values.
        public var count: Int
        /// Ascending.
        public var points: [Point]

        public init(_ name: String, unit: String, count: Int, points: [Point]) {
            self.name = name
            self.unit = unit
            self.count = count
            self.points = points
        }
    }

    /// Values over time or over rounds, at most 2,000 points.
    public struct Series: Codable, Sendable, Equatable {
        public struct Point: Codable, Sendable, Equatable {
            public var x: Double
            public var y: Double

            public init(_ x: Double, _ y: Double) {
                self.x = x
                self.y = y
            }
        }

        public var name: String
        /// `seconds`, `round`, `connections`.
        public var xName: String
        public var unit: String
        public var points: [Point]

        public init(_ name: String, over xName: String, unit: String, points: [Point]) {
            self.name = name
            self.xName = xName
            self.unit = unit
            self.points = points
        }
    }

    /// A condition for a valid run: `every message delivered once`.
    public struct Check: Codable, Sendable, Equatable {
        public var what: String
        /// The finding, with numbers: `300000 of 300000`.
        public var found: String
        public var passed: Bool

        public init(_ what: String, found: String, passed: Bool) {
            self.what = what
            self.found = found
            self.passed = passed
        }
    }
}
