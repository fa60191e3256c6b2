extension Report {
    /// Several servers under the same load, one after the other and again (in alternation): a table with one row for
    /// each and one column for each thing that was measured.
    public struct Comparison: Codable, Sendable, Equatable {
        /// What was compared: `one room of 1,000, single messages`.
        public var name: String
        /// What each had to do, in a few sentences.
        public var method: String
        /// How often each had its turn.
        public var rounds: Int
        public var measures: [Measure]
        /// Belfry first.
        public var contenders: [Contender]
        /// The machine's noise right before each round; nil where it was not taken.
        public var noise: [Double]?

        public init(
            _ name: String, method: String, rounds: Int, measures: [Measure], contenders: [Contender],
            noise: [Double]? = nil
        ) {
            self.name = name
            self.method = method
            self.rounds = rounds
            self.measures = measures
            self.contenders = contenders
            self.noise = noise
        }
    }
}

extension Report.Comparison {
    /// A column.
    public struct Measure: Codable, Sendable, Equatable {
        public enum Better: String, Codable, Sendable {
            case less, more
        }

        public var name: String
        public var unit: String
        public var better: Better
        /// What is counted, and why it came out so, in a sentence or two; nil where the name says it all.
        public var note: String?

        public init(_ name: String, _ unit: String, better: Better, note: String? = nil) {
            self.name = name
            self.unit = unit
            self.better = better
            self.note = note
        }
    }

    /// A row.
    public struct Contender: Codable, Sendable, Equatable {
        public enum Role: String, Codable, Sendable {
            /// Belfry itself: what the ratios refer to.
            case belfry
            /// What one would use instead.
            case peer
            /// What the kernel alone takes for the same bytes: nobody can be below it for long.
            case floor
        }

        /// `Belfry`, `nchan`, `kernel floor`.
        public var name: String
        /// What it is, with its version: `nginx 1.22.1 with libnginx-mod-nchan 1.3.6`.
        public var about: String
        public var role: Role
        /// One for each measure, in their order; nil where it was not measured.
        public var readings: [Reading?]
        /// Of all its processes, as they were seen while it ran; nil where nobody looked.
        public var threads: Int?

        public init(_ name: String, about: String, role: Role, readings: [Reading?], threads: Int? = nil) {
            self.name = name
            self.about = about
            self.role = role
            self.readings = readings
            self.threads = threads
        }
    }

    /// What came out for one contender and one measure.
    public struct Reading: Codable, Sendable, Equatable {
        public var value: Spread
        /// Belfry's value by this one's, taken round by round: 0.5 is half of what this one takes. Nil for Belfry
        /// itself.
        public var ratio: Spread?
        /// What the median ratio is wanted to be.
        public var goal: Report.Goal?
        /// The values of all rounds in their order; nil where they were not kept, or where it was measured once.
        public var rounds: [Double]?

        public init(_ value: Spread, ratio: Spread? = nil, goal: Report.Goal? = nil, rounds: [Double]? = nil) {
            self.value = value
            self.ratio = ratio
            self.goal = goal
            self.rounds = rounds
        }
    }

    /// What several rounds have shown.
    public struct Spread: Codable, Sendable, Equatable {
        public var median: Double
        public var least: Double
        public var greatest: Double

        public init(median: Double, least: Double, greatest: Double) {
            self.median = median
            self.least = least
            self.greatest = greatest
        }

        /// - Returns: nil when there are no values. Of an even number the median is the mean of the two in the middle.
        public init?(of values: [Double]) {
            let sorted = values.sorted()
            guard let least = sorted.first, let greatest = sorted.last else { return nil }
            let middle = sorted.count / 2
            let median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
            self.init(median: median, least: least, greatest: greatest)
        }
    }
}
