import Page

extension Configuration {
    /// The web client, which the server hands out at `/`.
    public struct Page: Sendable {
        /// Without it, its paths are not found.
        public var isEnabled = true
        /// A folder whose files, read once at the start, are served in place of those in the program.
        public var folder: String?

        /// - Parameter guestsAreWelcome: Whether the page offers to come in as a guest.
        /// - Throws: When the folder cannot be served.
        func files(guestsAreWelcome: Bool) throws(ConfigurationError) -> PageFiles? {
            guard let folder else { return isEnabled ? .embedded(guestsAreWelcome: guestsAreWelcome) : nil }
            guard isEnabled else { throw ConfigurationError("page.folder needs page.enabled: nobody would see it") }
            do throws(PageFolderError) {
                return try PageFiles(folder: folder, guestsAreWelcome: guestsAreWelcome)
            } catch {
                throw ConfigurationError("page.folder: \(error)")
            }
        }
    }
}
