extension Report.Comparison {
    /// Rounds that stand out in a measure, with the machine's noise in them: a sentence, or none.
    func outliersInWords(_ index: Int) -> [String] {
        let unit = index < measures.count ? measures[index].unit : ""
        let told = contenders.flatMap { contender -> [String] in
            let reading = index < contender.readings.count ? contender.readings[index] : nil
            return (reading?.outliers ?? []).map { round, value in
                let noise = noise.flatMap { round <= $0.count ? $0[round - 1] : nil }
                let beside = noise.map { ", machine's noise before it \(Amount.text($0, "×"))" } ?? ""
                return "\(contender.name), round \(round): \(Amount.text(value, unit))\(beside)"
            }
        }
        if told.isEmpty { return [] }
        let shown = told.prefix(Self.outliersShown).joined(separator: "; ")
        let more = told.count > Self.outliersShown ? "; and \(told.count - Self.outliersShown) more" : ""
        return [
            "Rounds that stand out (more than \(Amount.tick(Report.Comparison.Reading.outlierFactor)) times or less than"
                + " 1/\(Amount.tick(Report.Comparison.Reading.outlierFactor)) of the median): \(shown)\(more)."
        ]
    }

    /// More would be a list that nobody reads.
    static let outliersShown = 8
}
