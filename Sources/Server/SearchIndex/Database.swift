import CSQLite

/// A failed operation of SQLite.
package struct DatabaseError: Error, CustomStringConvertible {
    /// The extended result code.
    package let code: Int32
    package let description: String

    init(_ code: Int32, _ connection: OpaquePointer?, _ operation: String) {
        self.code = code
        let reason = connection.flatMap(sqlite3_errmsg) ?? sqlite3_errstr(code)
        description = "\(operation): \(reason.map { String(cString: $0) } ?? "error \(code)")"
    }

    /// An entry that cannot be what the index wrote.
    static func malformed(_ what: String) -> DatabaseError {
        DatabaseError(SQLITE_CORRUPT, nil, what)
    }
}

/// A connection to SQLite. Used on one queue only.
final class Database {
    fileprivate let connection: OpaquePointer

    /// Opens a file, which is created if it is missing.
    ///
    /// - Parameter path: nil for a database in memory.
    init(_ path: String?) throws(DatabaseError) {
        var connection: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path ?? ":memory:", &connection, flags, nil)
        guard code == SQLITE_OK, let connection else {
            let error = DatabaseError(code, connection, "open")
            sqlite3_close_v2(connection)
            throw error
        }
        self.connection = connection
    }

    deinit { sqlite3_close_v2(connection) }

    /// Runs statements that take no values.
    func execute(_ sql: String) throws(DatabaseError) {
        let code = sqlite3_exec(connection, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(code, connection, sql) }
    }

    /// Runs a body in a transaction, which is rolled back if the body throws.
    func transaction(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
        try execute("BEGIN IMMEDIATE")
        do throws(DatabaseError) {
            try body()
            try execute("COMMIT")
        } catch {
            // After some errors, SQLite has rolled back already.
            if sqlite3_get_autocommit(connection) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }
}

/// A prepared statement, which is reset after each use.
final class Statement {
    enum Value {
        case integer(Int64)
        case text(String)
        case null
    }

    private let database: Database
    private let statement: OpaquePointer
    private let sql: String

    init(_ sql: String, in database: Database) throws(DatabaseError) {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(
            database.connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw DatabaseError(code, database.connection, sql) }
        self.database = database
        self.statement = statement
        self.sql = sql
    }

    deinit { sqlite3_finalize(statement) }

    func run(_ values: Value...) throws(DatabaseError) {
        try forEachRow(values) { _ in }
    }

    /// Returns the first row's first column; nil without rows and for NULL.
    func integer(_ values: Value...) throws(DatabaseError) -> Int64? {
        var result: Int64?
        try forEachRow(values) { row in if result == nil { result = row.integer(0) } }
        return result
    }

    func forEachRow(_ values: [Value], _ body: (Row) throws(DatabaseError) -> Void) throws(DatabaseError) {
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() {
            let code = bind(value, at: Int32(index + 1))
            guard code == SQLITE_OK else { throw DatabaseError(code, database.connection, sql) }
        }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: try body(Row(statement: statement))
            case SQLITE_DONE: return
            case let code: throw DatabaseError(code, database.connection, sql)
            }
        }
    }

    private func bind(_ value: Value, at index: Int32) -> Int32 {
        switch value {
        case .integer(let integer): return sqlite3_bind_int64(statement, index, integer)
        case .null: return sqlite3_bind_null(statement, index)
        case .text(let text):
            var text = text
            return text.withUTF8 { utf8 in
                // An empty buffer may have no address, which SQLite would take for NULL.
                utf8.withMemoryRebound(to: CChar.self) { characters in
                    guard let address = characters.baseAddress, !characters.isEmpty else {
                        return belfry_sqlite_bind_text(statement, index, "", 0)
                    }
                    return belfry_sqlite_bind_text(statement, index, address, Int32(clamping: characters.count))
                }
            }
        }
    }

    /// The current row; valid only while the statement's body runs.
    struct Row {
        fileprivate let statement: OpaquePointer

        func integer(_ column: Int32) -> Int64? {
            sqlite3_column_type(statement, column) == SQLITE_NULL ? nil : sqlite3_column_int64(statement, column)
        }

        func text(_ column: Int32) -> String? {
            guard let bytes = sqlite3_column_text(statement, column) else { return nil }
            let count = Int(sqlite3_column_bytes(statement, column))
            return String(validating: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
        }
    }
}
