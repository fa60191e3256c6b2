import ChatEngine
import Gateway
import Journal
import Transport
import Webhooks

/// Every limit of the server in one value, with defaults.
package struct Limits: Sendable {
    package var connection = ConnectionLimits()
    package var engine = ChatEngine.Limits()
    package var journal = JournalOptions()
    package var snapshots = SnapshotOptions()
    package var files = FileStore.Limits()
    /// Bytes to keep free on the data folder's file system, at most a twentieth of it.
    package var reserveBytes = 1_073_741_824
    package var rings = RoomRings.Limits()
    package var webhooks = WebhookLimits()
    /// How long a stopping server waits for its clients to be notified.
    package var drainMilliseconds = 5_000
    /// Descriptors reserved for listeners, loops and files; clients cannot use them.
    package var reservedDescriptors = 256

    package init() {}
}
