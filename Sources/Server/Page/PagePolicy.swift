/// What the page may load and do. Content Security Policy Level 3; Trusted Types.
package enum PagePolicy {
    /// Only what the page needs: its own scripts, styles, images and connections; no text that becomes markup
    /// or code, no frames, no forms, no other servers. Images are also loaded as `blob:` or `data:`, because
    /// fetching them takes the user's token.
    package static let text = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:",
        "connect-src 'self'", "font-src 'none'", "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")
}
