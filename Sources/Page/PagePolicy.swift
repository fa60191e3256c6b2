/// What the page may load and do. Content Security Policy Level 3; Trusted Types.
package enum PagePolicy {
    /// All that is needed and nothing else: no script but the page's own files, no text that becomes markup or code,
    /// no frame, no form, no other server. Images come from the token's holder as `blob:` or `data:`.
    package static let text = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:",
        "connect-src 'self'", "font-src 'none'", "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")
}
