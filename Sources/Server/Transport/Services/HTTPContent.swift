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
    /// The files of the admin listener's console; nil without that listener.
    let console: PageFiles?
    let adminGuard: AdminGuard
    /// The text of `/metrics`.
    package let metricsText: @Sendable () -> String
    let servesEcho: Bool
    package let readiness: ReadyFlag

    /// - Parameter isReady: Whether clients should use this server, while it serves.
    package init(
        files: FileStore, page: PageFiles? = nil, routes: (any HostRoutes)? = nil,
        adminRoutes: (any HostRoutes)? = nil, console: PageFiles? = nil, adminGuard: AdminGuard = AdminGuard(),
        metricsText: @escaping @Sendable () -> String = { "" },
        servesEcho: Bool = false, isReady: @escaping @Sendable () -> Bool = { true }
    ) {
        self.files = files
        self.page = page
        self.routes = routes
        self.adminRoutes = adminRoutes
        self.console = console
        self.adminGuard = adminGuard
        self.metricsText = metricsText
        self.servesEcho = servesEcho
        readiness = ReadyFlag(isReady)
    }

    /// Whether the server accepts new work, as reported by `/readyz`.
    package final class ReadyFlag: Sendable {
        private let flag = Atomic<Bool>(false)
        private let check: @Sendable () -> Bool

        init(_ check: @escaping @Sendable () -> Bool) { self.check = check }

        /// Whether the server serves.
        package var isServing: Bool { flag.load(ordering: .acquiring) }
        /// Whether clients should use the server.
        package var isReady: Bool { isServing && check() }
        package func set(_ isReady: Bool) { flag.store(isReady, ordering: .releasing) }
    }
}
