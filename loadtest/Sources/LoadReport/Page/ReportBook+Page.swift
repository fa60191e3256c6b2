extension ReportBook {
    /// One page that needs nothing else: no script, no network, no font. Well-formed as XML too.
    public func html() -> String {
        let page: Markup = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8"/>
            <title>Belfry load test</title>
            </head>
            <body>
            <main>
            <h1>Belfry load test</h1>
            \(reports.map { "<pre>\($0.table())</pre>" })
            </main>
            </body>
            </html>

            """
        return page.text
    }
}
