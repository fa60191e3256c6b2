import Page
import Synchronization

/// The content served over HTTP, apart from commands.
package struct HTTPContent: Sendable {
    package let files: FileStore
    /// The web client; nil when it is disabled.
    let page: PageFiles?
    /// The embedding program's routes.
    let routes: (any HostRoutes)?
    /// The admin listener's routes; nil without that listener.
    let adminRoutes: (any HostRoutes)?
    /// The text of `/metrics`.
    package let metricsText: @Sendable () -> String
    let servesEcho: Bool
    package let readiness = ReadyFlag()

    package init(
        files: FileStore, page: PageFiles? = nil, routes: (any HostRoutes)? = nil,
        adminRoutes: (any HostRoutes)? = nil, metricsText: @escaping @Sendable () -> String = { "" },
        servesEcho: Bool = false
    ) {
        self.files = files
        self.page = page
        self.routes = routes
        self.adminRoutes = adminRoutes
        self.metricsText = metricsText
        self.servesEcho = servesEcho
    }

    /// Whether the server accepts new work, as reported by `/readyz`.
    package final class ReadyFlag: Sendable {
        private let flag = Atomic<Bool>(false)
        package var isReady: Bool { flag.load(ordering: .acquiring) }
        package func set(_ isReady: Bool) { flag.store(isReady, ordering: .releasing) }
    }
}
