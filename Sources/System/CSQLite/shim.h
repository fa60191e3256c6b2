// SQLite asks for a copy of bound text by a pointer value that Swift cannot import.
#ifndef BELFRY_CSQLITE_SHIM_H
#define BELFRY_CSQLITE_SHIM_H

#include <sqlite3.h>

static inline int belfry_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int bytes) {
    return sqlite3_bind_text(statement, index, text, bytes, SQLITE_TRANSIENT);
}

#endif
