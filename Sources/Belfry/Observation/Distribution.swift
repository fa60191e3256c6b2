/// The contents of a histogram at one moment.
struct Distribution: Equatable {
    /// Upper bounds, inclusive and ascending.
    let bounds: [Double]
    /// Counts per bucket, not cumulative; the last counts values above all bounds.
    let counts: [UInt64]

    var count: UInt64 { counts.reduce(0, &+) }

    /// Returns the quantile as Prometheus's `histogram_quantile` computes it: interpolated linearly within its bucket,
    /// or the highest bound for values above all bounds.
    ///
    /// - Parameter share: From 0 to 1.
    /// - Returns: Nil when nothing was counted.
    func quantile(_ share: Double) -> Double? {
        guard count > 0, let highest = bounds.last else { return nil }
        let rank = max(0, min(1, share)) * Double(count)
        var below = 0.0
        for (index, bound) in bounds.enumerated() where index < counts.count {
            let here = Double(counts[index])
            if here > 0, below + here >= rank {
                let low = index > 0 ? bounds[index - 1] : 0
                return low + (bound - low) * (rank - below) / here
            }
            below += here
        }
        return highest
    }
}

extension PrometheusHistogram {
    var distribution: Distribution { Distribution(bounds: bounds, counts: state.withLock(\.counts)) }
}
