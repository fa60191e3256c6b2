extension ReportBook {
    /// One page that needs nothing else: no script, no network, no font. Well-formed as XML too.
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

    /// Where a report stands on the page.
    static func id(_ index: Int) -> String { "s\(index + 1)" }

    private var day: String { String(started.prefix(10)) }
}
