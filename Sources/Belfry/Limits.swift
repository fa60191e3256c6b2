import ChatEngine
import Gateway
import Journal
import Transport
import Webhooks

/// Every bound of the server in one value, each with its default.
package struct Limits: Sendable {
    package var connection = ConnectionLimits()
    package var engine = ChatEngine.Limits()
    package var journal = JournalOptions()
    package var snapshots = SnapshotOptions()
    package var files = FileStore.Limits()
    /// Bytes of the data folder's file system that are kept free, at most a twentieth of it.
    package var reserveBytes = 1_073_741_824
    package var rings = RoomRings.Limits()
    package var webhooks = WebhookLimits()
    /// How long a stopping server waits for its clients to hear of it.
    package var drainMilliseconds = 5_000
    /// Descriptors kept back from clients: listeners, loops, files.
    package var reservedDescriptors = 256

    package init() {}
}
