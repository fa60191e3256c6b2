extension Report {
    /// Several servers under the same load in alternation: a table with one row per server and one column per measure.
    public struct Comparison: Codable, Sendable, Equatable {
        /// The subject of the comparison: `one room of 1,000, single messages`.
        public var name: String
        /// The work of each server, in a few sentences.
        public var method: String
        /// The number of turns of each server.
        public var rounds: Int
        public var measures: [Measure]
        /// The servers, Belfry first.
        public var contenders: [Contender]
        /// The machine's noise right before each round; nil if not measured.
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
        /// The counted quantity and the explanation of the result, in a sentence or two; nil if the name suffices.
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
            /// Belfry, to which the ratios refer.
            case belfry
            /// An alternative to Belfry.
            case peer
            /// The cost of the same bytes in the kernel alone; no server can stay below it for long.
            case floor
        }

        /// `Belfry`, `nchan`, `kernel floor`.
        public var name: String
        /// The product with its version: `nginx 1.22.1 with libnginx-mod-nchan 1.3.6`.
        public var about: String
        public var role: Role
        /// One reading per measure, in the order of the measures; nil if not measured.
        public var readings: [Reading?]
        /// The threads of all its processes during the run; nil if not counted.
        public var threads: Int?

        public init(_ name: String, about: String, role: Role, readings: [Reading?], threads: Int? = nil) {
            self.name = name
            self.about = about
            self.role = role
            self.readings = readings
            self.threads = threads
        }
    }

    /// The result of one contender in one measure.
    public struct Reading: Codable, Sendable, Equatable {
        public var value: Spread
        /// Belfry's value divided by this contender's, computed per round: 0.5 means that Belfry takes half as much.
        /// Nil for Belfry itself.
        public var ratio: Spread?
        /// The goal for the median ratio.
        public var goal: Report.Goal?
        /// The values of all rounds, in order; nil if they were not kept or there was only one measurement.
        public var rounds: [Double]?

        public init(_ value: Spread, ratio: Spread? = nil, goal: Report.Goal? = nil, rounds: [Double]? = nil) {
            self.value = value
            self.ratio = ratio
            self.goal = goal
            self.rounds = rounds
        }
    }

    /// The median and range of several rounds.
    public struct Spread: Codable, Sendable, Equatable {
        public var median: Double
        public var least: Double
        public var greatest: Double

        public init(median: Double, least: Double, greatest: Double) {
            self.median = median
            self.least = least
            self.greatest = greatest
        }

        /// - Returns: nil if there are no values. The median of an even number of values is the mean of the middle two.
        public init?(of values: [Double]) {
            let sorted = values.sorted()
            guard let least = sorted.first, let greatest = sorted.last else { return nil }
            let middle = sorted.count / 2
            let median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
            self.init(median: median, least: least, greatest: greatest)
        }
    }
}
