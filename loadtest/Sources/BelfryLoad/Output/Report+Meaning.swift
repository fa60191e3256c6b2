import LoadReport

/// The chat has reports too, of what people complain about.
typealias Report = LoadReport.Report
