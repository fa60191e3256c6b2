/// What one scenario has shown. The table on the terminal, the JSON and the page are three views of it.
///
/// Everything a reader needs is in it: what was done, with which settings, what came out, and whether it was right.
public struct Report: Codable, Sendable, Equatable {
    /// The scenario's name on the command line, such as `fanout`.
    public var scenario: String
    /// What this run of it is called, where one scenario is run in several ways: `bursts of 16`.
    public var title: String?
    /// What was asked, in one sentence for who has never seen it.
    public var question: String
    /// What was done to find out, in a few sentences.
    public var method: String
    /// In the order in which they are shown.
    public var settings: [Setting]
    /// The result in numbers, the most telling first.
    public var figures: [Figure]
    public var distributions: [Distribution]
    public var series: [Series]
    /// Several servers under the same load; empty where only Belfry ran.
    public var comparisons: [Comparison]
    /// What had to hold for the figures to count.
    public var checks: [Check]
    /// What is to be known before the figures are believed.
    public var remarks: [String]
    /// What must not be; empty for a good run. At most 20 of them are kept.
    public var problems: [String]
    /// The greater of the machine's noise directly before and directly after it; nil where nobody looked.
    public var noise: Double?
    /// Why these goals and no others, in a few sentences; nil where there is nothing to say.
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

    /// Whether the run may count: nothing wrong, and every check passed.
    public var isGood: Bool { problems.isEmpty && checks.allSatisfy(\.passed) }
}

extension Report {
    /// One setting as it was given: `subscribers` = `1000`.
    public struct Setting: Codable, Sendable, Equatable {
        public var name: String
        public var value: String
        /// What it means, in a few words.
        public var meaning: String

        public init(_ name: String, _ value: String, _ meaning: String) {
            self.name = name
            self.value = value
            self.meaning = meaning
        }
    }

    /// One number that came out.
    public struct Figure: Codable, Sendable, Equatable {
        public var name: String
        public var value: Double
        /// As it is written behind the number: `µs`, `ms`, `MiB`, `/s`; empty for ratios and counts.
        public var unit: String
        /// The least and the greatest of several rounds; nil where there was one.
        public var spread: ClosedRange<Double>?
        /// What is wanted; nil where nothing is.
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

    /// What a figure is wanted to be.
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

    /// How values spread: percentiles of one histogram, never averages of percentiles.
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
        /// How many values there were.
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

    /// Something over time, or over rounds. At most 2,000 points.
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

    /// Something that had to hold: `every message delivered once`.
    public struct Check: Codable, Sendable, Equatable {
        public var what: String
        /// What was found, with numbers: `300000 of 300000`.
        public var found: String
        public var passed: Bool

        public init(_ what: String, found: String, passed: Bool) {
            self.what = what
            self.found = found
            self.passed = passed
        }
    }
}
