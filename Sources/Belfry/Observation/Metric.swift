/// All metrics. A metric that is missing here has no help text, and a test fails.
package struct Metric: Sendable, Equatable {
    package let name: String
    /// `counter`, `gauge` or `histogram`.
    package let type: String
    /// Names of labels. Their values come from fixed sets of the program and from the configuration, never from
    /// clients.
    package let labels: [String]
    /// The text of the `HELP` line.
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
            "Requests to the admin listener in progress, including tails of events."),
        Metric(
            "belfry_admin_requests_refused_total", "counter",
            "Requests to the admin listener refused because too many were in progress."),
        Metric("belfry_admin_requests_total", "counter", "Requests to the admin listener."),
        Metric(
            "belfry_api_key_requests_total", "counter",
            "Requests authenticated with a server key, by its id.", labels: ["key"]),
        Metric("belfry_api_keys_reload_failures_total", "counter", "Failed reloads of the server keys file on SIGHUP."),
        Metric("belfry_api_keys_reloads_total", "counter", "Successful reloads of the server keys file."),
        Metric(
            "belfry_authentications", "gauge",
            "Calls to the host's authentication in progress; only when embedded."),
        Metric(
            "belfry_authentications_late_total", "counter",
            "Calls to the host's authentication that timed out; only when embedded."),
        Metric(
            "belfry_authentications_refused_total", "counter",
            "Calls to the host's authentication not made because too many were in progress; only when embedded."),
        Metric(
            "belfry_build_info", "gauge",
            "Always 1; the labels name the running build.", labels: ["version", "commit"]),
        Metric("belfry_calls", "gauge", "Commands of the host's program in progress."),
        Metric(
            "belfry_calls_refused_total", "counter",
            "Commands of the host's program refused because too many were in progress."),
        Metric("belfry_channels", "gauge", "Existing channels."),
        Metric(
            "belfry_commands_over_backlog_total", "counter",
            "Commands refused because 2 MB of their user's events were not published yet."),
        Metric(
            "belfry_commands_over_budget_total", "counter",
            "Commands refused because their user requested too much work or sent too many bytes."),
        Metric(
            "belfry_commands_refused_total", "counter",
            "Commands refused by the chat's rules, a rate or a full queue."),
        Metric("belfry_commands_total", "counter", "Commands and queries executed or refused."),
        Metric("belfry_commands_waiting", "gauge", "Commands waiting for the chat when it last took one."),
        Metric("belfry_compressed_connections", "gauge", "Open connections that negotiated permessage-deflate."),
        Metric("belfry_connections", "gauge", "Open connections, WebSocket and HTTP."),
        Metric("belfry_connections_accepted_total", "counter", "Accepted connections."),
        Metric(
            "belfry_connections_refused_total", "counter",
            "Connections closed because a limit was reached, by limit.", labels: ["reason"]),
        Metric(
            "belfry_deflate_bytes_in_total", "counter",
            "Bytes of messages before compression, counted once for all recipients."),
        Metric("belfry_deflate_bytes_out_total", "counter", "The same bytes after compression."),
        Metric(
            "belfry_deliveries_total", "counter",
            "Events delivered to connections, counted once per receiving connection."),
        Metric(
            "belfry_deliveries_waiting", "gauge",
            "Deliveries waiting for a loop; above 200,000, commands are refused with 111.", labels: ["queue"]),
        Metric(
            "belfry_disconnects_total", "counter",
            "Connections closed by the server with a code of the client protocol.", labels: ["code"]),
        Metric("belfry_disk_free_bytes", "gauge", "Free bytes on the data folder's file system."),
        Metric(
            "belfry_disk_short", "gauge",
            "1 while uploads are refused (less than twice the disk reserve is free), 2 while users' changes are, 3 while "
                + "all changes are, else 0."),
        Metric("belfry_downloads_slow_total", "counter", "Downloads aborted because the client read too slowly."),
        Metric(
            "belfry_errors_total", "counter",
            "Commands and requests answered with an error, by code.", labels: ["code"]),
        Metric("belfry_event_listeners", "gauge", "Listeners in the host's program that receive all durable events."),
        Metric(
            "belfry_event_listeners_slow_total", "counter",
            "Listeners in the host's program ended because they were too slow."),
        Metric("belfry_event_tails", "gauge", "Open tails of events on the admin listener."),
        Metric("belfry_event_tails_slow_total", "counter", "Tails of events ended because they were too slow."),
        Metric("belfry_events_total", "counter", "Durable events published."),
        Metric("belfry_files_open", "gauge", "Uploads and downloads in progress."),
        Metric(
            "belfry_files_refused_total", "counter",
            "Uploads and downloads refused because too many were in progress."),
        Metric("belfry_guests", "gauge", "Guests, who have no account."),
        Metric(
            "belfry_guests_refused_total", "counter",
            "Guests not created because their address had created too many."),
        Metric("belfry_guests_removed_total", "counter", "Guests removed because they were away too long."),
        Metric("belfry_idempotency_answers", "gauge", "Remembered requests with an Idempotency-Key."),
        Metric("belfry_idempotency_bytes", "gauge", "Bytes of stored responses to requests with an Idempotency-Key."),
        Metric("belfry_idempotency_repeats_total", "counter", "Repeated requests answered with the stored response."),
        Metric(
            "belfry_idempotency_unkept_total", "counter",
            "Repeated requests whose response was no longer stored (1038)."),
        Metric("belfry_inflate_refusals_total", "counter", "Connections closed because of their compressed input."),
        Metric("belfry_journal_batch_frames", "histogram", "Frames that shared one sync of the journal."),
        Metric("belfry_journal_frames_total", "counter", "Frames written to the journal."),
        Metric("belfry_journal_last_sync_seconds", "gauge", "Duration of the last write and sync of the journal."),
        Metric(
            "belfry_journal_space_short", "gauge",
            "1 while the disk has no room for the journal and changes are refused, else 0."),
        Metric(
            "belfry_journal_sync_seconds", "histogram",
            "Duration of writes and syncs of the journal; every acknowledgement waits for one."),
        Metric("belfry_journal_syncs_total", "counter", "Syncs of the journal."),
        Metric("belfry_log_batches_total", "counter", "Published batches of outcomes, usually one per sync."),
        Metric("belfry_log_outcomes_total", "counter", "Outcomes in those batches."),
        Metric("belfry_messages_received_total", "counter", "WebSocket messages received from clients."),
        Metric("belfry_messages_total", "counter", "Messages and replies sent into channels and published there."),
        Metric(
            "belfry_outbox_bytes_at_overflow", "gauge",
            "Bytes waiting for the last slow consumer when it was closed."),
        Metric("belfry_protobuf_connections", "gauge", "Open connections that use Protobuf."),
        Metric("belfry_protocol_violations_total", "counter", "Connections that violated WebSocket or HTTP."),
        Metric(
            "belfry_query_slices_total", "counter",
            "Times that a query, a connection or a lookup of push recipients yielded to other commands."),
        Metric(
            "belfry_queue_lag_seconds", "histogram",
            "Time a closure waited in a queue before it ran, sampled once a second.", labels: ["queue"]),
        Metric(
            "belfry_recoveries_impossible_total", "counter",
            "Rooms whose missed events were no longer kept: the client has to reload."),
        Metric("belfry_recoveries_total", "counter", "Rooms whose missed events clients recovered."),
        Metric(
            "belfry_restored_pushes_dropped_total", "counter",
            "Messages from before the start that are not pushed, because more than 100,000 waited."),
        Metric(
            "belfry_restored_pushes_waiting", "gauge",
            "Messages from before the start whose push recipients are not found yet."),
        Metric("belfry_ring_bytes", "gauge", "Bytes of events kept for recovery."),
        Metric(
            "belfry_ring_evictions_total", "counter",
            "Events evicted from the largest rings because all rings together were full."),
        Metric("belfry_rooms_listened", "gauge", "Rooms with subscribers."),
        Metric(
            "belfry_route_failures_total", "counter",
            "Requests to the host's routes whose handler threw; only when embedded."),
        Metric(
            "belfry_route_pauses_total", "counter",
            "Pauses in reading a request body because its handler was slower."),
        Metric("belfry_route_requests", "gauge", "Requests to the host's routes in progress; only when embedded."),
        Metric(
            "belfry_route_requests_refused_total", "counter",
            "Requests to the host's routes refused because too many were in progress; only when embedded."),
        Metric("belfry_route_requests_total", "counter", "Requests to the host's routes; only when embedded."),
        Metric("belfry_settings_reload_failures_total", "counter", "Failed reloads of the settings file on SIGHUP."),
        Metric("belfry_settings_reloads_total", "counter", "Successful reloads of the settings file."),
        Metric("belfry_slow_consumers_total", "counter", "Connections closed because they read too slowly."),
        Metric("belfry_snapshot_bytes", "gauge", "Size of the last snapshot."),
        Metric("belfry_snapshot_failures_total", "counter", "Failed snapshots."),
        Metric("belfry_snapshot_seconds", "gauge", "Duration of the last snapshot."),
        Metric("belfry_snapshots_damaged_total", "counter", "Unreadable snapshots skipped in favour of an older one."),
        Metric("belfry_snapshots_total", "counter", "Completed snapshots."),
        Metric(
            "belfry_strangers_refused_total", "counter",
            "Requests without credentials, and large connects, refused because their address had sent too many."),
        Metric("belfry_thumbnail_seconds", "histogram", "Time to make a thumbnail."),
        Metric("belfry_thumbnails_total", "counter", "Thumbnails requested, by result.", labels: ["result"]),
        Metric("belfry_thumbnails_waiting", "gauge", "Thumbnails in progress or waiting."),
        Metric(
            "belfry_tls_certificate_expiry_seconds", "gauge",
            "Expiry time of the certificate in use, in seconds since 1970; only with TLS."),
        Metric("belfry_tls_handshakes_failed_total", "counter", "Failed TLS handshakes; only with TLS."),
        Metric("belfry_tls_handshakes_timed_out_total", "counter", "TLS handshakes that timed out; only with TLS."),
        Metric("belfry_tls_handshakes_total", "counter", "Completed TLS handshakes; only with TLS."),
        Metric(
            "belfry_tls_reload_failures_total", "counter",
            "Failed reloads of the certificate on SIGHUP; only with TLS."),
        Metric("belfry_tls_reloads_total", "counter", "Successful reloads of the certificate; only with TLS."),
        Metric("belfry_token_key_fetch_failures_total", "counter", "Failed fetches of public keys for tokens."),
        Metric("belfry_token_key_fetches_total", "counter", "Fetches of public keys for tokens."),
        Metric("belfry_token_key_reload_failures_total", "counter", "Failed reloads of the token keys file on SIGHUP."),
        Metric("belfry_token_key_reloads_total", "counter", "Successful reloads of the token keys file."),
        Metric("belfry_token_key_waits", "gauge", "Tokens waiting for public keys to be fetched."),
        Metric(
            "belfry_token_key_waits_refused_total", "counter",
            "Tokens that did not wait for a fetch because too many already did."),
        Metric("belfry_token_keys", "gauge", "Public keys for tokens."),
        Metric(
            "belfry_token_keys_fetched_seconds", "gauge",
            "Time of the last successful fetch of public keys, in seconds since 1970."),
        Metric("belfry_token_keys_unknown_total", "counter", "Tokens that named an unknown public key."),
        Metric("belfry_token_revocations", "gauge", "Users with revoked tokens."),
        Metric("belfry_tokens_waiting", "gauge", "Tokens being verified or waiting for it."),
        Metric("belfry_tokens_waiting_refused_total", "counter", "Tokens not verified because too many were waiting."),
        Metric("belfry_transient_events_total", "counter", "Transient events published, such as typing."),
        Metric(
            "belfry_transients_dropped_total", "counter",
            "Transient events not sent to a connection that was behind."),
        Metric(
            "belfry_unfinished_bytes", "gauge",
            "Bytes of requests and messages that clients have begun and not finished, beyond 4 KiB of each connection."),
        Metric("belfry_unread_bytes", "gauge", "Bytes waiting to be read by all clients together."),
        Metric(
            "belfry_user_allowances", "gauge",
            "Users who recently created channels or added people, at most 20,000 (chat.additions_at_once)."),
        Metric("belfry_users", "gauge", "Existing users."),
        Metric("belfry_users_online", "gauge", "Users with a connection."),
        Metric(
            "belfry_users_over_budget", "gauge",
            "Users whose budget of work or bytes was used up, as of the last refusal; at most 10,000."),
        Metric(
            "belfry_webhook_addresses_refused_total", "counter",
            "Connections to webhooks refused because of their address."),
        Metric("belfry_webhook_dead_letters", "gauge", "Current dead letters."),
        Metric("belfry_webhook_deliveries_total", "counter", "Deliveries accepted by webhooks."),
        Metric(
            "belfry_webhook_dropped_total", "counter",
            "Events dropped for good: too many waited (full), or too many of one user's (share).", labels: ["reason"]),
        Metric("belfry_webhook_failures_total", "counter", "Failed delivery attempts."),
        Metric("belfry_webhook_given_up_total", "counter", "Deliveries that became dead letters."),
        Metric(
            "belfry_webhook_lag_frames", "gauge",
            "Journal frames from the position of the webhook furthest behind to the end."),
        Metric(
            "belfry_webhook_skipped_frames_total", "counter",
            "Journal frames that a start no longer reached and a webhook did not receive."),
        Metric(
            "belfry_work_units_total", "counter",
            "Cost of commands in work units: about a thousand per microsecond of the chat's time."),
        Metric("process_max_fds", "gauge", "Maximum number of open file descriptors."),
        Metric("process_open_fds", "gauge", "Open file descriptors."),
        Metric("process_resident_memory_bytes", "gauge", "Resident memory in bytes."),
        Metric("process_start_time_seconds", "gauge", "Start time of the process, in seconds since 1970."),
    ]
}
