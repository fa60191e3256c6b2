import ChatDomain
import ChatModel

// Converts references to runs of messages to and from their columnar record.

extension ProtoRunParts {
    init(_ id: ChannelID, _ first: Int, _ parts: [RunPart]) {
        self.init()
        channel = id.rawValue
        self.first = UInt64(clamping: first)
        files = parts.map(\.reference.file)
        offsets = parts.map(\.reference.offset)
        sizes = parts.map(\.reference.size)
        counts = parts.map { UInt32(clamping: $0.count) }
        leastHighs = parts.map(\.ids.lowerBound.high)
        leastLows = parts.map(\.ids.lowerBound.low)
        greatestHighs = parts.map(\.ids.upperBound.high)
        greatestLows = parts.map(\.ids.upperBound.low)
        lastSteps = steps(parts.map(\.lastOffset))
    }

    func parts() throws(RecordError) -> [RunPart] {
        let columns = [offsets.count, sizes.count, counts.count, leastHighs.count, leastLows.count]
        let more = [greatestHighs.count, greatestLows.count, lastSteps.count]
        guard (columns + more).allSatisfy({ $0 == files.count }) else { throw .invalid(field: "runs") }
        var last: UInt64 = 0
        var parts: [RunPart] = []
        for index in files.indices {
            let least = MessageID(high: leastHighs[index], low: leastLows[index])
            let greatest = MessageID(high: greatestHighs[index], low: greatestLows[index])
            guard least <= greatest else { throw .invalid(field: "runs") }
            last &+= lastSteps[index]
            parts.append(
                RunPart(
                    reference: BlockReference(file: files[index], offset: offsets[index], size: sizes[index]),
                    count: Int(counts[index]), ids: least...greatest, lastOffset: last))
        }
        return parts
    }
}

/// Returns the difference between each number and the one before; the first counts from 0.
func steps<Number: FixedWidthInteger>(_ numbers: [Number]) -> [Number] {
    var last: Number = 0
    return numbers.map { number in
        defer { last = number }
        return number &- last
    }
}

/// Returns the numbers with these differences.
func sums<Number: FixedWidthInteger>(_ steps: [Number]) -> [Number] {
    var last: Number = 0
    return steps.map { step in
        last &+= step
        return last
    }
}
