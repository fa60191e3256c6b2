// zlib opens a stream by macros, which Swift cannot call. A negative window is zlib's word for bare DEFLATE data.
#ifndef BELFRY_CZLIB_SHIM_H
#define BELFRY_CZLIB_SHIM_H

#include <zlib.h>

static inline int belfry_deflate_open(z_stream *stream, int level, int window_bits, int memory_level) {
    return deflateInit2(stream, level, Z_DEFLATED, -window_bits, memory_level, Z_DEFAULT_STRATEGY);
}

static inline int belfry_inflate_open(z_stream *stream, int window_bits) {
    return inflateInit2(stream, -window_bits);
}

#endif
