/// The report named in a request, after the command.
public struct ReportResponse: Codable, Hashable, Sendable {
    /// The report.
    public var report: Report
    /// Creates a value from its fields.
    public init(report: Report) { self.report = report }
}

/// Marks a report as resolved (`ME5`). Server only.
public struct ResolveReport: Request {
    /// The response to `report.resolve`.
    public typealias Response = ReportResponse
    /// The method name.
    public static let method = "report.resolve"
    typealias CodingKeys = ReportKeys
    /// The report's id.
    public var reportID: String
    /// What was done: at most 1,024 bytes.
    public var note: String?

    /// Creates a `report.resolve` request; nil arguments are omitted.
    public init(reportID: String, note: String? = nil) {
        self.reportID = reportID
        self.note = note
    }
}

/// Marks a report as dismissed (`ME5`). Server only.
public struct DismissReport: Request {
    /// The response to `report.dismiss`.
    public typealias Response = ReportResponse
    /// The method name.
    public static let method = "report.dismiss"
    typealias CodingKeys = ReportKeys
    /// The report's id.
    public var reportID: String
    /// The reason: at most 1,024 bytes.
    public var note: String?

    /// Creates a `report.dismiss` request; nil arguments are omitted.
    public init(reportID: String, note: String? = nil) {
        self.reportID = reportID
        self.note = note
    }
}

/// Removes a report for good (`ME5`). Server only.
public struct DeleteReport: Request {
    /// The response to `report.delete`.
    public struct Response: Codable, Hashable, Sendable {
        /// The removed report's id.
        public var reportID: String
        /// Creates a response from its fields.
        public init(reportID: String) { self.reportID = reportID }

        enum CodingKeys: String, CodingKey { case reportID = "report_id" }
    }
    /// The method name.
    public static let method = "report.delete"
    /// The report's id.
    public var reportID: String

    /// Creates a `report.delete` request.
    public init(reportID: String) { self.reportID = reportID }

    enum CodingKeys: String, CodingKey { case reportID = "report_id" }
}
