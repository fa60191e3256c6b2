extension ReportBook {
    /// Returns a self-contained page: no scripts, network requests or fonts. It is also well-formed XML.
    public func html() -> String {
        let body: Markup = "\(summary)\(reports.enumerated().map { $1.section(id: Self.id($0)) })"
        let page: Markup = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8"/>
            <meta name="viewport" content="width=device-width, initial-scale=1"/>
            <meta name="color-scheme" content="light dark"/>
            <title>Belfry load test of \(day)</title>
            <style>
            \(PageStyle.css)</style>
            </head>
            <body>
            <main>
            \(body)\(Glossary.section(for: body))</main>
            </body>
            </html>

            """
        return page.text
    }

    /// Returns the anchor of a report on the page.
    static func id(_ index: Int) -> String { "s\(index + 1)" }

    private var day: String { String(started.prefix(10)) }
}
