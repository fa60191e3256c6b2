/// The one table of metrics. What a server counts and is not in here has no help text, and the suite says so.
package struct Metric: Sendable, Equatable {
    package let name: String
    /// `counter`, `gauge` or `histogram`.
    package let type: String
    /// Names of labels, whose values come from tables of the program and from the configuration, never from outside.
    package let labels: [String]
    /// What it tells: the `HELP` line.
    package let help: String

    private init(_ name: String, _ type: String, _ help: String, labels: [String] = []) {
        self.name = name
        self.type = type
        self.labels = labels
        self.help = help
    }

    static let helps = Dictionary(table.map { ($0.name, $0.help) }) { first, _ in first }

    /// By name.
    package static let table: [Metric] = [
        Metric("belfry_admin_failures_total", "counter", "Requests to the admin listener whose handler threw."),
        Metric(
            "belfry_admin_requests", "gauge",
            "Requests to the admin listener that are under way, tails of events among them."),
        Metric(
            "belfry_admin_requests_refused_total", "counter",
            "Such requests that were refused because too many were under way."),
        Metric("belfry_admin_requests_total", "counter", "Requests to the admin listener."),
        Metric(
            "belfry_api_key_requests_total", "counter",
            "Requests that were let in by a server key, by its name.", labels: ["key"]),
        Metric(
            "belfry_api_keys_reload_failures_total", "counter",
            "Files of server keys that could not be read at SIGHUP."),
        Metric("belfry_api_keys_reloads_total", "counter", "Files of server keys that were read again."),
        Metric(
            "belfry_authentications", "gauge",
            "Questions to the host's own authentication that are under way; only when embedded."),
        Metric(
            "belfry_authentications_late_total", "counter",
            "Such questions that were not answered in time; only when embedded."),
        Metric(
            "belfry_authentications_refused_total", "counter",
            "Such questions that were not asked because too many were under way; only when embedded."),
        Metric(
            "belfry_build_info", "gauge",
            "Always 1; what runs stands in the labels.", labels: ["version", "commit"]),
        Metric("belfry_calls", "gauge", "Commands of the host's own program that are under way."),
        Metric(
            "belfry_calls_refused_total", "counter",
            "Such commands that were refused because too many were under way."),
        Metric("belfry_channels", "gauge", "Channels there are."),
        Metric(
            "belfry_commands_over_backlog_total", "counter",
            "Commands refused because events of their user, 2 MB of them, were not published yet."),
        Metric(
            "belfry_commands_over_budget_total", "counter",
            "Commands refused because their user had asked for too much work or sent too many bytes."),
        Metric(
            "belfry_commands_refused_total", "counter",
            "Commands that were refused: by the chat's rules, a rate or a full queue."),
        Metric("belfry_commands_total", "counter", "Commands and questions that the chat has carried out or refused."),
        Metric("belfry_commands_waiting", "gauge", "Commands that waited for the chat when the last one was taken."),
        Metric("belfry_compressed_connections", "gauge", "Open connections that have agreed to permessage-deflate."),
        Metric("belfry_connections", "gauge", "Open connections, WebSocket and HTTP."),
        Metric("belfry_connections_accepted_total", "counter", "Connections that were taken in."),
        Metric(
            "belfry_connections_refused_total", "counter",
            "Connections that were closed because a limit was reached, by which one.", labels: ["reason"]),
        Metric(
            "belfry_deflate_bytes_in_total", "counter",
            "Bytes of messages before compression, each counted once for all who get it."),
        Metric("belfry_deflate_bytes_out_total", "counter", "The same bytes after compression."),
        Metric("belfry_deliveries_total", "counter", "Events handed to connections, one for each that hears one."),
        Metric(
            "belfry_deliveries_waiting", "gauge",
            "Deliveries that wait for a loop; beyond 200,000 commands are refused with 111.", labels: ["queue"]),
        Metric(
            "belfry_disconnects_total", "counter",
            "Connections that the server closed with a code of the client protocol.", labels: ["code"]),
        Metric("belfry_disk_free_bytes", "gauge", "Bytes that are free on the file system of the data folder."),
        Metric(
            "belfry_disk_short", "gauge",
            "1 while uploads are refused because twice the reserve of disk is not free, 2 while all changes are, else 0."
        ),
        Metric(
            "belfry_downloads_slow_total", "counter",
            "Downloads that were ended because their reader took too little of them."),
        Metric(
            "belfry_errors_total", "counter",
            "Commands and requests that were answered with an error, by its code.", labels: ["code"]),
        Metric("belfry_event_listeners", "gauge", "Listeners inside the host's program that hear all durable events."),
        Metric(
            "belfry_event_listeners_slow_total", "counter",
            "Such listeners that were ended because they were too slow."),
        Metric("belfry_event_tails", "gauge", "Tails of events that are open on the admin listener."),
        Metric("belfry_event_tails_slow_total", "counter", "Such tails that were ended because they were too slow."),
        Metric("belfry_events_total", "counter", "Durable events that were told."),
        Metric("belfry_files_open", "gauge", "Uploads and downloads that are under way."),
        Metric(
            "belfry_files_refused_total", "counter",
            "Uploads and downloads that were refused because too many were under way."),
        Metric("belfry_guests", "gauge", "Guests, who have no account."),
        Metric(
            "belfry_guests_refused_total", "counter",
            "Guests that were not made because their address had made too many."),
        Metric("belfry_guests_removed_total", "counter", "Guests that were forgotten because they were away for long."),
        Metric(
            "belfry_idempotency_answers", "gauge", "Requests with an Idempotency-Key that are remembered."),
        Metric("belfry_idempotency_bytes", "gauge", "Bytes of their answers that are kept."),
        Metric(
            "belfry_idempotency_repeats_total", "counter",
            "Such requests that came again and were answered as before."),
        Metric(
            "belfry_idempotency_unkept_total", "counter",
            "Such requests that came again when their answer was not kept any more (1038)."),
        Metric(
            "belfry_inflate_refusals_total", "counter",
            "Connections that ended because of what they sent compressed."),
        Metric("belfry_journal_batch_frames", "histogram", "Frames that shared one sync of the journal."),
        Metric("belfry_journal_frames_total", "counter", "Frames written to the journal."),
        Metric("belfry_journal_last_sync_seconds", "gauge", "How long the last write and sync of the journal took."),
        Metric(
            "belfry_journal_space_short", "gauge",
            "1 while the disk has no room for the journal and changes are refused, else 0."),
        Metric(
            "belfry_journal_sync_seconds", "histogram",
            "How long writes and syncs of the journal took; every acknowledgement waits for one."),
        Metric("belfry_journal_syncs_total", "counter", "Syncs of the journal."),
        Metric(
            "belfry_log_batches_total", "counter",
            "Batches of outcomes that were published, mostly one for each sync."),
        Metric("belfry_log_outcomes_total", "counter", "Outcomes in those batches."),
        Metric("belfry_messages_received_total", "counter", "WebSocket messages that clients sent."),
        Metric("belfry_messages_total", "counter", "Messages and replies that were sent into channels and told there."),
        Metric(
            "belfry_outbox_bytes_at_overflow", "gauge",
            "Bytes that waited for the last slow consumer when it was closed."),
        Metric("belfry_protobuf_connections", "gauge", "Open connections that speak the Protobuf form."),
        Metric("belfry_protocol_violations_total", "counter", "Connections that broke the rules of WebSocket or HTTP."),
        Metric(
            "belfry_query_slices_total", "counter",
            "Turns that left a query, or the search for the recipients of a push, unfinished: others had theirs."),
        Metric(
            "belfry_queue_lag_seconds", "histogram",
            "How long a closure waited in a queue until it ran, measured once a second.", labels: ["queue"]),
        Metric(
            "belfry_recoveries_impossible_total", "counter",
            "Rooms whose missed events were gone: the client fetches anew."),
        Metric("belfry_recoveries_total", "counter", "Rooms in which clients got what they had missed."),
        Metric("belfry_ring_bytes", "gauge", "Bytes of events that are kept for recovery."),
        Metric(
            "belfry_ring_evictions_total", "counter",
            "Events of the largest rings that gave way because all rings together were full."),
        Metric("belfry_rooms_listened", "gauge", "Rooms that somebody hears."),
        Metric(
            "belfry_route_failures_total", "counter",
            "Requests to the host's routes whose handler threw; only when embedded."),
        Metric(
            "belfry_route_pauses_total", "counter",
            "Times that a body was not read on because its handler was slower."),
        Metric(
            "belfry_route_requests", "gauge",
            "Requests to the host's routes that are under way; only when embedded."),
        Metric(
            "belfry_route_requests_refused_total", "counter",
            "Such requests that were refused because too many were under way; only when embedded."),
        Metric("belfry_route_requests_total", "counter", "Requests to the host's routes; only when embedded."),
        Metric(
            "belfry_settings_reload_failures_total", "counter",
            "Files of settings that could not be taken over at SIGHUP."),
        Metric("belfry_settings_reloads_total", "counter", "Files of settings that were read again."),
        Metric(
            "belfry_slow_consumers_total", "counter",
            "Connections that were closed because they did not take what they were sent."),
        Metric("belfry_snapshot_bytes", "gauge", "Size of the last snapshot."),
        Metric("belfry_snapshot_failures_total", "counter", "Snapshots that could not be made."),
        Metric("belfry_snapshot_seconds", "gauge", "How long the last snapshot took."),
        Metric(
            "belfry_snapshots_damaged_total", "counter",
            "Snapshots that were passed over for an older one because they could not be read."),
        Metric("belfry_snapshots_total", "counter", "Snapshots made."),
        Metric(
            "belfry_strangers_refused_total", "counter",
            "Requests without credentials, and large connects, that were refused because their address had sent too many."
        ),
        Metric("belfry_thumbnail_seconds", "histogram", "How long the making of a smaller image took."),
        Metric(
            "belfry_thumbnails_total", "counter",
            "Smaller images that were to be made, by what became of it.", labels: ["result"]),
        Metric("belfry_thumbnails_waiting", "gauge", "Smaller images that are being made or wait for it."),
        Metric(
            "belfry_tls_certificate_expiry_seconds", "gauge",
            "When the certificate that is shown ends, in seconds since 1970; only with TLS."),
        Metric("belfry_tls_handshakes_failed_total", "counter", "TLS handshakes that failed; only with TLS."),
        Metric("belfry_tls_handshakes_timed_out_total", "counter", "TLS handshakes that took too long; only with TLS."),
        Metric("belfry_tls_handshakes_total", "counter", "TLS handshakes that were completed; only with TLS."),
        Metric(
            "belfry_tls_reload_failures_total", "counter",
            "Certificates that could not be read at SIGHUP; only with TLS."),
        Metric("belfry_tls_reloads_total", "counter", "Certificates that were read again; only with TLS."),
        Metric("belfry_token_key_fetch_failures_total", "counter", "Fetches of tokens' public keys that brought none."),
        Metric("belfry_token_key_fetches_total", "counter", "Fetches of tokens' public keys."),
        Metric(
            "belfry_token_key_reload_failures_total", "counter",
            "Files of tokens' public keys that could not be read at SIGHUP."),
        Metric("belfry_token_key_reloads_total", "counter", "Files of tokens' public keys that were read again."),
        Metric("belfry_token_key_waits", "gauge", "Tokens that wait for public keys to be fetched."),
        Metric(
            "belfry_token_key_waits_refused_total", "counter",
            "Tokens that did not wait for such a fetch because too many did."),
        Metric("belfry_token_keys", "gauge", "Public keys of tokens that there are."),
        Metric(
            "belfry_token_keys_fetched_seconds", "gauge",
            "When public keys were last fetched, in seconds since 1970."),
        Metric("belfry_token_keys_unknown_total", "counter", "Tokens that named a public key that was not there."),
        Metric("belfry_token_revocations", "gauge", "Users of whom tokens were revoked."),
        Metric("belfry_tokens_waiting", "gauge", "Tokens that are being judged or wait for it."),
        Metric(
            "belfry_tokens_waiting_refused_total", "counter",
            "Tokens that were not judged because too many waited."),
        Metric("belfry_transient_events_total", "counter", "Events that are told and not kept, such as typing."),
        Metric(
            "belfry_transients_dropped_total", "counter",
            "Such events that a connection did not get because it was behind."),
        Metric("belfry_unread_bytes", "gauge", "Bytes that wait to be read by clients, in all."),
        Metric(
            "belfry_user_allowances", "gauge",
            "Users who lately created channels or added people, at most 20,000 (chat.additions_at_once)."),
        Metric("belfry_users", "gauge", "Users there are."),
        Metric("belfry_users_online", "gauge", "Users with a connection."),
        Metric(
            "belfry_webhook_addresses_refused_total", "counter",
            "Connections to webhooks that were not opened because of the address."),
        Metric("belfry_webhook_dead_letters", "gauge", "Deliveries that were given up and are kept."),
        Metric("belfry_webhook_deliveries_total", "counter", "Deliveries that webhooks have taken."),
        Metric(
            "belfry_webhook_dropped_total", "counter",
            "Events that were given up and cannot be replayed: too much waited (full), or too much of one user's (share).",
            labels: ["reason"]),
        Metric("belfry_webhook_failures_total", "counter", "Attempts at delivery that failed."),
        Metric("belfry_webhook_given_up_total", "counter", "Deliveries that became dead letters."),
        Metric(
            "belfry_webhook_lag_frames", "gauge",
            "Frames of the journal from the webhook that is furthest behind to the end."),
        Metric(
            "belfry_webhook_skipped_frames_total", "counter",
            "Frames that a start could not reach any more, of which a webhook was not told."),
        Metric(
            "belfry_work_units_total", "counter",
            "What commands cost in work units: about a thousand to a microsecond of the chat's time."),
        Metric("process_max_fds", "gauge", "Descriptors that the process may have open."),
        Metric("process_open_fds", "gauge", "Descriptors that it has open."),
        Metric("process_resident_memory_bytes", "gauge", "Memory that it takes."),
        Metric("process_start_time_seconds", "gauge", "When it started, in seconds since 1970."),
    ]
}
