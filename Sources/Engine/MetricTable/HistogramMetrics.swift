import CoreMetrics

/// Histograms of durations.
package enum TimerMetric: CaseIterable, Sendable {
    case clusterAppendSeconds, hookSeconds, journalSyncSeconds, queueLagSeconds, thumbnailSeconds

    package var row: Metric {
        switch self {
        case .clusterAppendSeconds:
            Metric(
                "belfry_cluster_append_seconds", .histogram,
                "Time until the cluster's log has stored a message, in seconds; only in a cluster.")
        case .hookSeconds:
            Metric("belfry_hook_seconds", .histogram, "Time until the app's hook has answered, in seconds.")
        case .journalSyncSeconds:
            Metric(
                "belfry_journal_sync_seconds", .histogram,
                "Duration of the journal's writes and syncs, in seconds; every acknowledgement waits for one.")
        case .queueLagSeconds:
            Metric(
                "belfry_queue_lag_seconds", .histogram,
                "Time that work waited in a queue, in seconds, sampled once a second.", labels: ["queue"])
        case .thumbnailSeconds: Metric("belfry_thumbnail_seconds", .histogram, "Time to make a thumbnail, in seconds.")
        }
    }
}

extension Timer {
    /// - Parameter dimensions: A value for each label of the row, in order.
    package convenience init(
        _ metric: TimerMetric, _ factory: any MetricsFactory, dimensions: [(String, String)] = []
    ) {
        let row = metric.row
        row.checkLabels(of: dimensions)
        self.init(label: row.name, dimensions: dimensions, factory: factory)
    }
}

/// Histograms of sizes.
package enum RecorderMetric: CaseIterable, Sendable {
    case journalBatchFrames

    package var row: Metric {
        switch self {
        case .journalBatchFrames:
            Metric("belfry_journal_batch_frames", .histogram, "Frames that shared one sync of the journal.")
        }
    }
}

extension Recorder {
    /// - Parameter dimensions: A value for each label of the row, in order.
    package convenience init(
        _ metric: RecorderMetric, _ factory: any MetricsFactory, dimensions: [(String, String)] = []
    ) {
        let row = metric.row
        row.checkLabels(of: dimensions)
        self.init(label: row.name, dimensions: dimensions, aggregate: true, factory: factory)
    }
}
