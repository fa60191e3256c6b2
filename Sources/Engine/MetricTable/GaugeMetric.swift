import CoreMetrics

/// Metrics that are set to a measured value.
package enum GaugeMetric: CaseIterable, Sendable {
    case blockCacheBytes, blockFileBytes, bodyBytes, bodyReads, buildInfo, channels, clusterClockSkewSeconds
    case clusterCommandsRelayed, clusterFirstMessage, clusterLagSeconds, clusterLogBytes, clusterNodes
    case clusterProblems, clusterReadsWaiting, clusterReady, clusterRecordVersion, clusterTerm, clusterWriter
    case commandsWaiting, deadlines, deliveriesWaiting
    case diskFreeBytes, diskShort, erasuresPending, filesOpen, guests, hookHeldCommands, hookRequestsUnderWay
    case idempotencyAnswers, idempotencyBytes
    case journalLastSyncSeconds, journalSpaceShort, natsConnected, outboxBytesAtOverflow
    case restoredPushesWaiting, ringBytes, roomsListened, searchChangesWaiting, searchChannelsBehind, searchesWaiting
    case snapshotBytes, snapshotSeconds, textRulesWaiting, tlsCertificateExpirySeconds
    case tokenKeyWaits, tokenKeys, tokenKeysFetchedSeconds, tokenRevocations, unfinishedBytes, unreadBytes
    case userAllowances, users, usersOnline, usersOverBudget, webhookDeadLetters, webhookLagFrames, processMaxFDs
    case processOpenFDs, processResidentMemoryBytes, processStartTimeSeconds

    package var row: Metric {
        switch self {
        case .blockCacheBytes:
            Metric("belfry_block_cache_bytes", .gauge, "Memory of the message texts read from disk, in bytes.")
        case .blockFileBytes:
            Metric(
                "belfry_block_file_bytes", .gauge, "Size of the message texts written with the last snapshot, in bytes."
            )
        case .bodyBytes:
            Metric(
                "belfry_body_bytes", .gauge,
                "Memory of the message texts that are not only on disk, in bytes, as of the last snapshot.")
        case .bodyReads:
            Metric(
                "belfry_body_reads", .gauge,
                "Blocks of message texts for which the engine itself has waited since the start, as of the last "
                    + "snapshot.")
        case .buildInfo:
            Metric(
                "belfry_build_info", .gauge,
                "Always 1; the labels name the running build.", labels: ["version", "commit"])
        case .channels: Metric("belfry_channels", .gauge, "Existing channels.")
        case .clusterClockSkewSeconds:
            Metric(
                "belfry_cluster_clock_skew_seconds", .gauge,
                "Greatest difference between this node's clock and that of another live node, in seconds; only in a "
                    + "cluster.")
        case .clusterCommandsRelayed:
            Metric(
                "belfry_cluster_commands_relayed", .gauge,
                "Commands sent to a cluster's writing node and not answered yet; at most 50,000.")
        case .clusterFirstMessage:
            Metric(
                "belfry_cluster_first_message", .gauge,
                "Number of the oldest message in the log, on the writing node; 0 on all others; only in a cluster.")
        case .clusterLagSeconds:
            Metric(
                "belfry_cluster_lag_seconds", .gauge,
                "How long the oldest message of the log that this node has not applied has been known, in seconds; "
                    + "only in a cluster.")
        case .clusterLogBytes:
            Metric(
                "belfry_cluster_log_bytes", .gauge,
                "Size of the log in bytes, on the writing node; 0 on all others; only in a cluster.")
        case .clusterNodes:
            Metric(
                "belfry_cluster_nodes", .gauge,
                "Nodes heard in the last 3 seconds, this one included; only in a cluster.")
        case .clusterProblems:
            Metric(
                "belfry_cluster_problems", .gauge,
                "Differences between nodes: names, versions, keys, settings, Unicode tables or clocks; only in a "
                    + "cluster.")
        case .clusterReadsWaiting:
            Metric(
                "belfry_cluster_reads_waiting", .gauge,
                "Reads waiting for what other nodes have acknowledged; at most 50,000.")
        case .clusterReady:
            Metric(
                "belfry_cluster_ready", .gauge,
                "1 while the node follows the log closely, otherwise 0; only in a cluster.")
        case .clusterRecordVersion:
            Metric(
                "belfry_cluster_record_version", .gauge,
                "Newest version of records in the log, which the writing node writes; only in a cluster.")
        case .clusterTerm: Metric("belfry_cluster_term", .gauge, "Number of the current term; only in a cluster.")
        case .clusterWriter:
            Metric("belfry_cluster_writer", .gauge, "1 on the writing node, 0 on all others; only in a cluster.")
        case .commandsWaiting:
            Metric("belfry_commands_waiting", .gauge, "Commands queued for the chat when it last dequeued one.")
        case .deadlines:
            Metric(
                "belfry_deadlines", .gauge,
                "Messages with a limited time, and channels whose retention is to remove messages.")
        case .erasuresPending:
            Metric(
                "belfry_erasures_pending", .gauge, "Deleted users of whom something is still on this node's disk.")
        case .deliveriesWaiting:
            Metric(
                "belfry_deliveries_waiting", .gauge,
                "Deliveries waiting for a loop; above 200,000, commands are refused with 111.", labels: ["queue"])
        case .diskFreeBytes: Metric("belfry_disk_free_bytes", .gauge, "Free bytes on the data folder's file system.")
        case .diskShort:
            Metric(
                "belfry_disk_short", .gauge,
                "1 while uploads are refused (less than twice the disk reserve is free), 2 while "
                    + "users' changes are also refused, 3 while all changes are refused, otherwise 0.")
        case .filesOpen: Metric("belfry_files_open", .gauge, "Uploads and downloads in progress.")
        case .guests: Metric("belfry_guests", .gauge, "Current guests, users without an account.")
        case .hookHeldCommands:
            Metric(
                "belfry_hook_held_commands", .gauge,
                "Commands that wait until the app's hook has decided about an earlier one of the same user and channel."
            )
        case .hookRequestsUnderWay:
            Metric("belfry_hook_requests_under_way", .gauge, "Requests to the app's hook without an answer yet.")
        case .idempotencyAnswers:
            Metric("belfry_idempotency_answers", .gauge, "Remembered requests with an Idempotency-Key.")
        case .idempotencyBytes:
            Metric("belfry_idempotency_bytes", .gauge, "Bytes of stored responses to requests with an Idempotency-Key.")
        case .journalLastSyncSeconds:
            Metric(
                "belfry_journal_last_sync_seconds", .gauge, "Duration of the journal's last write and sync, in seconds."
            )
        case .journalSpaceShort:
            Metric(
                "belfry_journal_space_short", .gauge,
                "1 while the disk has no room for the journal and changes are refused, otherwise 0.")
        case .natsConnected:
            Metric(
                "belfry_nats_connected", .gauge, "1 while connected to a NATS server, otherwise 0; only in a cluster.")
        case .outboxBytesAtOverflow:
            Metric(
                "belfry_outbox_bytes_at_overflow", .gauge,
                "Bytes waiting for the last slow consumer when it was closed.")
        case .restoredPushesWaiting:
            Metric(
                "belfry_restored_pushes_waiting", .gauge,
                "Messages from before startup whose push recipients have not been looked up yet.")
        case .ringBytes: Metric("belfry_ring_bytes", .gauge, "Bytes of events kept for recovery.")
        case .roomsListened: Metric("belfry_rooms_listened", .gauge, "Rooms with subscribers.")
        case .searchChangesWaiting:
            Metric("belfry_search_changes_waiting", .gauge, "Changes of messages that the search index lacks.")
        case .searchChannelsBehind:
            Metric(
                "belfry_search_channels_behind", .gauge,
                "Channels whose messages the search index has yet to read from the chat.")
        case .searchesWaiting: Metric("belfry_searches_waiting", .gauge, "Searches waiting for the search index.")
        case .snapshotBytes: Metric("belfry_snapshot_bytes", .gauge, "Size of the last snapshot, in bytes.")
        case .snapshotSeconds: Metric("belfry_snapshot_seconds", .gauge, "Duration of the last snapshot, in seconds.")
        case .textRulesWaiting:
            Metric("belfry_text_rules_waiting", .gauge, "Commands that wait until text rules are compiled.")
        case .tlsCertificateExpirySeconds:
            Metric(
                "belfry_tls_certificate_expiry_seconds", .gauge,
                "Expiry time of the certificate in use, in seconds since 1970; only with TLS.")
        case .tokenKeyWaits: Metric("belfry_token_key_waits", .gauge, "Tokens waiting for public keys to be fetched.")
        case .tokenKeys: Metric("belfry_token_keys", .gauge, "Public keys that verify tokens.")
        case .tokenKeysFetchedSeconds:
            Metric(
                "belfry_token_keys_fetched_seconds", .gauge,
                "Time of the last successful fetch of public keys, in seconds since 1970.")
        case .tokenRevocations: Metric("belfry_token_revocations", .gauge, "Users with revoked tokens.")
        case .unfinishedBytes:
            Metric(
                "belfry_unfinished_bytes", .gauge,
                "Bytes of clients' unfinished requests and messages, not counting the first 4 KiB of "
                    + "each connection.")
        case .unreadBytes: Metric("belfry_unread_bytes", .gauge, "Unread output of all clients together, in bytes.")
        case .userAllowances:
            Metric(
                "belfry_user_allowances", .gauge,
                "Users who recently created channels or added users, at most 20,000 (chat.additions_at_once).")
        case .users: Metric("belfry_users", .gauge, "Existing users.")
        case .usersOnline: Metric("belfry_users_online", .gauge, "Users with a connection.")
        case .usersOverBudget:
            Metric(
                "belfry_users_over_budget", .gauge,
                "Users over their work or byte budget, as of the last refusal; at most 10,000.")
        case .webhookDeadLetters: Metric("belfry_webhook_dead_letters", .gauge, "Dead letters kept for webhooks.")
        case .webhookLagFrames:
            Metric(
                "belfry_webhook_lag_frames", .gauge,
                "Journal frames from the position of the webhook furthest behind to the end.")
        case .processMaxFDs: Metric("process_max_fds", .gauge, "Maximum number of open file descriptors.")
        case .processOpenFDs: Metric("process_open_fds", .gauge, "Open file descriptors.")
        case .processResidentMemoryBytes: Metric("process_resident_memory_bytes", .gauge, "Resident memory in bytes.")
        case .processStartTimeSeconds:
            Metric("process_start_time_seconds", .gauge, "Start time of the process, in seconds since 1970.")
        }
    }
}

extension Gauge {
    /// - Parameter dimensions: A value for each label of the row, in order.
    package convenience init(
        _ metric: GaugeMetric, _ factory: any MetricsFactory, dimensions: [(String, String)] = []
    ) {
        let row = metric.row
        row.checkLabels(of: dimensions)
        self.init(label: row.name, dimensions: dimensions, aggregate: false, factory: factory)
    }
}
