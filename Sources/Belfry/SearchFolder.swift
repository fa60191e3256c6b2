import Dispatch
import Logging
import Metrics
import SearchIndex

/// The search index in a data folder. Deleting the folder is safe: the index is then filled from the chat.
enum SearchFolder {
    /// Opens the server's search index.
    ///
    /// - Throws: When the folder cannot be created.
    static func index(
        _ folder: DataFolder, _ metrics: any MetricsFactory, _ logger: Logger
    ) throws(ConfigurationError) -> SearchIndexer {
        let path = folder.path + "/search"
        try DataFolder.make(path)
        return SearchIndexer(
            path + "/words.sqlite", queue: DispatchQueue(label: "belfry.search"), metrics: metrics,
            notice: { log($0, to: logger) })
    }

    private static func log(_ notice: SearchNotice, to logger: Logger) {
        switch notice {
        case .rebuilding: logger.notice("filling the search index from the chat")
        case .failed(let error, let seconds):
            logger.error(
                "cannot use the search index: it will be made anew",
                metadata: ["error": "\(error)", "retry_seconds": "\(seconds)"])
        }
    }
}
