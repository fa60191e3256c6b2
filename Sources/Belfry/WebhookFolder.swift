import EventLoops
import Glibc
import Journal
import Logging
import Metrics
import Webhooks

/// The webhook state in a data folder.
enum WebhookFolder {
    private static func path(in folder: String) -> String { folder + "/webhooks" }

    /// Makes the server's dispatcher with the webhook state from the folder.
    ///
    /// - Throws: When the state cannot be read.
    static func dispatcher(
        _ folder: DataFolder, _ limits: WebhookLimits, _ metrics: any MetricsFactory, _ logger: Logger
    ) throws(ConfigurationError) -> WebhookDispatcher {
        let disk: PosixDisk
        do throws(DiskError) { disk = try PosixDisk(folder: path(in: folder.path)) } catch {
            throw Storage.refusal(.disk(error))
        }
        return WebhookDispatcher(
            limits: limits, metrics: metrics,
            report: { webhook, address in
                logger.warning(
                    "refused to connect to a webhook: its address is not in an allowed network",
                    metadata: ["webhook": "\(webhook)", "address": "\(address)"])
            }, store: try store(disk), notice: { log($0, to: logger) }, clock: WallClock.milliseconds)
    }

    /// Returns the last frame delivered to every webhook, or `nil` when there are no webhooks. A server may be using
    /// the folder.
    static func lowestCursor(of folder: String) throws(ConfigurationError) -> UInt64? {
        try store(PosixDisk(existing: path(in: folder))).lowest
    }

    private static func store(_ disk: PosixDisk) throws(ConfigurationError) -> WebhookStore {
        do throws(WebhookStoreError) { return try WebhookStore(disk) } catch {
            if case .disk(let error) = error { throw Storage.refusal(.disk(error)) }
            throw ConfigurationError("\(error)", exitCode: EX_DATAERR)
        }
    }

    private static func log(_ notice: WebhookNotice, to logger: Logger) {
        switch notice {
        case .eventsDropped(let webhook, let events):
            logger.warning(
                "a webhook is too far behind: dropped its oldest events",
                metadata: ["webhook": "\(webhook)", "events": "\(events)"])
        case .framesSkipped(let webhook, let frames):
            logger.warning(
                "a webhook is too far behind: skipped the journal frames it missed",
                metadata: ["webhook": "\(webhook)", "frames": "\(frames)"])
        case .writeFailed(let error):
            logger.error("cannot write webhook positions", metadata: ["error": "\(error)"])
        }
    }
}
