import CoreMetrics

/// Metrics that only increase.
package enum CounterMetric: CaseIterable, Sendable {
    case adminFailures, adminRequestsRefused, adminRequests, apiKeyRequests, apiKeysReloadFailures, apiKeysReloads
    case authenticationsLate, authenticationsRefused, blocksDamaged, bodyMisses, callsRefused, clusterCopies,
        clusterCopiesServed, clusterCopyBytes
    case clusterLogReads, clusterMessagesTrimmed, clusterRefused, commandsOverBacklog, commandsOverBudget
    case commandsRefused, commands, connectionsAccepted, connectionsRefused, deflateBytesIn, deflateBytesOut, deliveries
    case disconnects, downloadsSlow, errors, eventListenersSlow, eventTailsSlow, events, filesRefused, guestsRefused
    case guestsRemoved, hookAddressesRefused, hookRequests, idempotencyRepeats, idempotencyUnkept, inflateRefusals,
        journalFrames, journalSyncs, logBatches
    case logOutcomes, messagesReceived, messagesRemoved, messages, natsDisconnects, natsMessagesDropped
    case protocolViolations, querySlices, recoveriesImpossible, recoveries, restoredPushesDropped, ringEvictions
    case routeFailures, routePauses, routeRequestsRefused, routeRequests, searchFailures, searchLookups, searchRebuilds
    case settingsReloadFailures, settingsReloads, slowConsumers, snapshotFailures, snapshotsDamaged, snapshots
    case strangersRefused, thumbnails, tlsHandshakesFailed, tlsHandshakesTimedOut, tlsHandshakes, tlsReloadFailures
    case tlsReloads, tokenKeyFetchFailures, tokenKeyFetches, tokenKeyReloadFailures, tokenKeyReloads
    case tokenKeyWaitsRefused, tokenKeysUnknown, tokensWaitingRefused, transientEvents, transientsDropped
    case webhookAddressesRefused, webhookDeliveries, webhookDropped, webhookFailures, webhookGivenUp
    case webhookSkippedFrames, workUnits

    package var row: Metric {
        switch self {
        case .adminFailures:
            Metric("belfry_admin_failures_total", .counter, "Requests to the admin listener whose handler threw.")
        case .adminRequestsRefused:
            Metric(
                "belfry_admin_requests_refused_total", .counter,
                "Requests to the admin listener refused because too many were in progress.")
        case .adminRequests: Metric("belfry_admin_requests_total", .counter, "Requests to the admin listener.")
        case .apiKeyRequests:
            Metric(
                "belfry_api_key_requests_total", .counter,
                "Requests authenticated with a server key, by its id.", labels: ["key"])
        case .apiKeysReloadFailures:
            Metric(
                "belfry_api_keys_reload_failures_total", .counter,
                "Failed reloads of the server keys file on SIGHUP.")
        case .apiKeysReloads:
            Metric("belfry_api_keys_reloads_total", .counter, "Successful reloads of the server keys file.")
        case .authenticationsLate:
            Metric(
                "belfry_authentications_late_total", .counter,
                "Calls to the host's authentication that timed out; only when embedded.")
        case .authenticationsRefused:
            Metric(
                "belfry_authentications_refused_total", .counter,
                "Calls to the host's authentication refused because too many were in progress; only when embedded.")
        case .blocksDamaged:
            Metric(
                "belfry_blocks_damaged_total", .counter,
                "Blocks of message texts that could not be read from disk; their messages appear without text.")
        case .bodyMisses:
            Metric(
                "belfry_body_misses_total", .counter,
                "Blocks of message texts that commands and queries had to wait for.")
        case .callsRefused:
            Metric(
                "belfry_calls_refused_total", .counter,
                "Commands of the host's program refused because too many were in progress.")
        case .clusterCopies:
            Metric(
                "belfry_cluster_copies_total", .counter,
                "Times that this process copied the chat from another node; only in a cluster.")
        case .clusterCopiesServed:
            Metric(
                "belfry_cluster_copies_served_total", .counter,
                "Complete copies that other nodes made of this node's journal; only in a cluster.")
        case .clusterCopyBytes:
            Metric(
                "belfry_cluster_copy_bytes_total", .counter,
                "Bytes of its journal that this node sent to nodes which copy it; only in a cluster.")
        case .clusterLogReads:
            Metric(
                "belfry_cluster_log_reads_total", .counter,
                "Reads of messages that the feed of the cluster's log did not bring; only in a cluster.")
        case .clusterMessagesTrimmed:
            Metric(
                "belfry_cluster_messages_trimmed_total", .counter,
                "Messages that this node, as the writer, dropped from the log; only in a cluster.")
        case .clusterRefused:
            Metric(
                "belfry_cluster_refused_total", .counter,
                "Messages of other nodes that a bound has kept out, by bound: beats, presence and origins of more than 64 "
                    + "processes, commands beyond 10,000 or 64 MiB of one node; only in a cluster.", labels: ["bound"])
        case .commandsOverBacklog:
            Metric(
                "belfry_commands_over_backlog_total", .counter,
                "Commands refused because their user had 2 MB of unpublished events.")
        case .commandsOverBudget:
            Metric(
                "belfry_commands_over_budget_total", .counter,
                "Commands refused because their user requested too much work or sent too many bytes.")
        case .commandsRefused:
            Metric(
                "belfry_commands_refused_total", .counter,
                "Commands refused by the chat's rules, a rate or a full queue.")
        case .commands: Metric("belfry_commands_total", .counter, "Commands and queries executed or refused.")
        case .connectionsAccepted: Metric("belfry_connections_accepted_total", .counter, "Accepted connections.")
        case .connectionsRefused:
            Metric(
                "belfry_connections_refused_total", .counter,
                "Connections closed because a limit was reached, by limit.", labels: ["reason"])
        case .deflateBytesIn:
            Metric(
                "belfry_deflate_bytes_in_total", .counter,
                "Bytes of messages before compression, counted once for all recipients.")
        case .deflateBytesOut:
            Metric(
                "belfry_deflate_bytes_out_total", .counter,
                "Bytes of the same messages after compression, counted once for all recipients.")
        case .deliveries:
            Metric(
                "belfry_deliveries_total", .counter,
                "Events delivered to connections, counted once per receiving connection.")
        case .disconnects:
            Metric(
                "belfry_disconnects_total", .counter,
                "Connections closed by the server with a code of the client protocol.", labels: ["code"])
        case .downloadsSlow:
            Metric("belfry_downloads_slow_total", .counter, "Downloads aborted because the client read too slowly.")
        case .errors:
            Metric(
                "belfry_errors_total", .counter,
                "Commands and requests answered with an error, by code.", labels: ["code"])
        case .eventListenersSlow:
            Metric(
                "belfry_event_listeners_slow_total", .counter,
                "Listeners in the host's program ended because they were too slow.")
        case .eventTailsSlow:
            Metric("belfry_event_tails_slow_total", .counter, "Tails of events ended because they were too slow.")
        case .events: Metric("belfry_events_total", .counter, "Durable events published.")
        case .filesRefused:
            Metric(
                "belfry_files_refused_total", .counter,
                "Uploads and downloads refused because too many were in progress.")
        case .guestsRefused:
            Metric(
                "belfry_guests_refused_total", .counter,
                "Guests not created because their address had created too many.")
        case .guestsRemoved:
            Metric(
                "belfry_guests_removed_total", .counter,
                "Guests removed because they were away too long (guests.away_seconds).")
        case .hookAddressesRefused:
            Metric(
                "belfry_hook_addresses_refused_total", .counter,
                "Connections to the hook refused because webhooks.allowed_networks lacks their address.")
        case .hookRequests:
            Metric(
                "belfry_hook_requests_total", .counter,
                "Requests to the app's hook, by outcome: allowed, refused, replaced, failed (no valid answer in time), "
                    + "overloaded (not sent, because too many were under way).", labels: ["outcome"])
        case .idempotencyRepeats:
            Metric("belfry_idempotency_repeats_total", .counter, "Repeated requests answered with the stored response.")
        case .idempotencyUnkept:
            Metric(
                "belfry_idempotency_unkept_total", .counter,
                "Repeated requests whose response was no longer stored (1038).")
        case .inflateRefusals:
            Metric(
                "belfry_inflate_refusals_total", .counter,
                "Connections closed because their compressed input was invalid or exceeded the limit when inflated.")
        case .journalFrames: Metric("belfry_journal_frames_total", .counter, "Frames written to the journal.")
        case .journalSyncs: Metric("belfry_journal_syncs_total", .counter, "Syncs of the journal.")
        case .logBatches:
            Metric("belfry_log_batches_total", .counter, "Published batches of command outcomes, usually one per sync.")
        case .logOutcomes: Metric("belfry_log_outcomes_total", .counter, "Command outcomes published.")
        case .messagesReceived:
            Metric("belfry_messages_received_total", .counter, "WebSocket messages received from clients.")
        case .messagesRemoved:
            Metric(
                "belfry_messages_removed_total", .counter,
                "Messages removed because their time was over or by retention.")
        case .messages: Metric("belfry_messages_total", .counter, "Messages and replies published in channels.")
        case .natsDisconnects:
            Metric("belfry_nats_disconnects_total", .counter, "Lost connections to NATS servers; only in a cluster.")
        case .natsMessagesDropped:
            Metric(
                "belfry_nats_messages_dropped_total", .counter,
                "Messages that did not fit into the buffers of the connection to NATS, by direction: received (replies "
                    + "beyond 64 MiB or 65,536) or sent (32 MiB, and 16 MiB that the server has not read); only in a cluster.",
                labels: ["direction"])
        case .protocolViolations:
            Metric(
                "belfry_protocol_violations_total", .counter,
                "Connections that violated the WebSocket or HTTP protocol.")
        case .querySlices:
            Metric(
                "belfry_query_slices_total", .counter,
                "Number of times a query, a connection or a push-recipient lookup yielded to other commands.")
        case .recoveriesImpossible:
            Metric(
                "belfry_recoveries_impossible_total", .counter,
                "Failed room recoveries: the missed events were no longer stored, so the client must reload.")
        case .recoveries: Metric("belfry_recoveries_total", .counter, "Successful room recoveries.")
        case .restoredPushesDropped:
            Metric(
                "belfry_restored_pushes_dropped_total", .counter,
                "Messages from before startup that were not pushed, because more than 100,000 were waiting.")
        case .ringEvictions:
            Metric(
                "belfry_ring_evictions_total", .counter,
                "Events evicted from the largest rings because all rings together were full.")
        case .routeFailures:
            Metric(
                "belfry_route_failures_total", .counter,
                "Requests to the host's routes whose handler threw; only when embedded.")
        case .routePauses:
            Metric(
                "belfry_route_pauses_total", .counter,
                "Pauses in reading a request body because its handler was behind.")
        case .routeRequestsRefused:
            Metric(
                "belfry_route_requests_refused_total", .counter,
                "Requests to the host's routes refused because too many were in progress; only when embedded.")
        case .routeRequests:
            Metric("belfry_route_requests_total", .counter, "Requests to the host's routes; only when embedded.")
        case .searchFailures:
            Metric(
                "belfry_search_failures_total", .counter,
                "Times that the search index could not be read or written; it is then made anew.")
        case .searchLookups:
            Metric("belfry_search_lookups_total", .counter, "Lookups in the search index; a search makes one or more.")
        case .searchRebuilds:
            Metric("belfry_search_rebuilds_total", .counter, "Times that the search index was filled anew.")
        case .settingsReloadFailures:
            Metric("belfry_settings_reload_failures_total", .counter, "Failed reloads of the settings file on SIGHUP.")
        case .settingsReloads:
            Metric("belfry_settings_reloads_total", .counter, "Successful reloads of the settings file.")
        case .slowConsumers:
            Metric("belfry_slow_consumers_total", .counter, "Connections closed because they read too slowly.")
        case .snapshotFailures: Metric("belfry_snapshot_failures_total", .counter, "Failed snapshots.")
        case .snapshotsDamaged:
            Metric(
                "belfry_snapshots_damaged_total", .counter,
                "Unreadable snapshots skipped in favour of an older one.")
        case .snapshots: Metric("belfry_snapshots_total", .counter, "Completed snapshots.")
        case .strangersRefused:
            Metric(
                "belfry_strangers_refused_total", .counter,
                "Requests without credentials, and large connects, refused because their address had sent too many.")
        case .thumbnails:
            Metric("belfry_thumbnails_total", .counter, "Thumbnail requests, by result.", labels: ["result"])
        case .tlsHandshakesFailed:
            Metric("belfry_tls_handshakes_failed_total", .counter, "Failed TLS handshakes; only with TLS.")
        case .tlsHandshakesTimedOut:
            Metric("belfry_tls_handshakes_timed_out_total", .counter, "TLS handshakes that timed out; only with TLS.")
        case .tlsHandshakes: Metric("belfry_tls_handshakes_total", .counter, "Completed TLS handshakes; only with TLS.")
        case .tlsReloadFailures:
            Metric(
                "belfry_tls_reload_failures_total", .counter,
                "Failed reloads of the certificate on SIGHUP; only with TLS.")
        case .tlsReloads:
            Metric("belfry_tls_reloads_total", .counter, "Successful reloads of the certificate; only with TLS.")
        case .tokenKeyFetchFailures:
            Metric("belfry_token_key_fetch_failures_total", .counter, "Failed fetches of public keys for tokens.")
        case .tokenKeyFetches: Metric("belfry_token_key_fetches_total", .counter, "Fetches of public keys for tokens.")
        case .tokenKeyReloadFailures:
            Metric(
                "belfry_token_key_reload_failures_total", .counter,
                "Failed reloads of the token keys file on SIGHUP.")
        case .tokenKeyReloads:
            Metric("belfry_token_key_reloads_total", .counter, "Successful reloads of the token keys file.")
        case .tokenKeyWaitsRefused:
            Metric(
                "belfry_token_key_waits_refused_total", .counter,
                "Tokens not queued for a key fetch because too many were already waiting.")
        case .tokenKeysUnknown:
            Metric("belfry_token_keys_unknown_total", .counter, "Tokens that named an unknown public key.")
        case .tokensWaitingRefused:
            Metric(
                "belfry_tokens_waiting_refused_total", .counter,
                "Tokens not verified because too many were waiting.")
        case .transientEvents:
            Metric("belfry_transient_events_total", .counter, "Transient events published, such as typing.")
        case .transientsDropped:
            Metric(
                "belfry_transients_dropped_total", .counter,
                "Transient events not sent because their connection was behind.")
        case .webhookAddressesRefused:
            Metric(
                "belfry_webhook_addresses_refused_total", .counter,
                "Connections to webhooks refused because webhooks.allowed_networks lacks their address.")
        case .webhookDeliveries: Metric("belfry_webhook_deliveries_total", .counter, "Deliveries accepted by webhooks.")
        case .webhookDropped:
            Metric(
                "belfry_webhook_dropped_total", .counter,
                "Events permanently dropped because too many were waiting, in total (full) "
                    + "or from one user (share).", labels: ["reason"])
        case .webhookFailures:
            Metric("belfry_webhook_failures_total", .counter, "Failed delivery attempts to webhooks.")
        case .webhookGivenUp: Metric("belfry_webhook_given_up_total", .counter, "Deliveries that became dead letters.")
        case .webhookSkippedFrames:
            Metric(
                "belfry_webhook_skipped_frames_total", .counter,
                "Journal frames skipped at startup, whose events a webhook did not receive.")
        case .workUnits:
            Metric(
                "belfry_work_units_total", .counter,
                "Cost of commands in work units: about a thousand per microsecond of the chat's time.")
        }
    }
}

extension Counter {
    /// - Parameter dimensions: A value for each label of the row, in order.
    package convenience init(
        _ metric: CounterMetric, _ factory: any MetricsFactory, dimensions: [(String, String)] = []
    ) {
        let row = metric.row
        row.checkLabels(of: dimensions)
        self.init(label: row.name, dimensions: dimensions, factory: factory)
    }
}
