import Page

extension Configuration {
    /// Options of the web client served at `/`.
    public struct Page: Sendable {
        /// Whether to serve the web client. If false, its paths return 404.
        public var isEnabled = true
        /// A folder whose files replace the embedded ones. Read once, at startup.
        public var folder: String?

        /// - Parameter allowsGuests: Whether the page offers to sign in as a guest.
        /// - Throws: When the folder cannot be served.
        func files(allowsGuests: Bool) throws(ConfigurationError) -> PageFiles? {
            guard let folder else { return isEnabled ? .embedded(allowsGuests: allowsGuests) : nil }
            guard isEnabled else {
                throw ConfigurationError("page.folder needs page.enabled: the folder would not be served")
            }
            do throws(PageFolderError) {
                return try PageFiles(folder: folder, allowsGuests: allowsGuests)
            } catch {
                throw ConfigurationError("page.folder: \(error)")
            }
        }
    }
}
