// RE2 for Swift: a list of patterns that is searched as a whole. No C++ exception crosses these functions.
#ifndef BELFRY_CRE2_H
#define BELFRY_CRE2_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define BELFRY_NOEXCEPT noexcept
extern "C" {
#else
#define BELFRY_NOEXCEPT
#endif

/// The result of a call. Everything except BELFRY_RE2_OK leaves outputs unset.
enum {
    BELFRY_RE2_OK = 0,
    /// Not RE2 syntax.
    BELFRY_RE2_SYNTAX = 1,
    /// One pattern alone needs more than its share of the memory.
    BELFRY_RE2_TOO_LARGE = 2,
    /// The patterns together need more than the memory, or the allocator failed. After a search: the text was not compared with every
    /// pattern, so the caller must not let it pass.
    BELFRY_RE2_OUT_OF_MEMORY = 3,
    /// The pattern matches an empty text, or the empty place between two characters.
    BELFRY_RE2_MATCHES_NOTHING = 4,
    /// The patterns without atoms have more instructions than allowed.
    BELFRY_RE2_TOO_BROAD = 5,
};

/// Patterns, numbered from 0 in the order of their addition. Searches are safe from several threads once the list is compiled.
typedef struct belfry_re2_list belfry_re2_list;

/// Creates an empty list; NULL without memory.
///
/// `memory` bounds, in bytes, the programs of all patterns and the automata that RE2 builds from them during searches. One pattern gets
/// at most `pattern_memory`, and literals shorter than `shortest_atom` bytes do not become atoms. The patterns without atoms have at most
/// `broad_instructions` together, to which the time of a search is proportional.
belfry_re2_list *belfry_re2_create(
    size_t memory, size_t pattern_memory, int shortest_atom, size_t broad_instructions) BELFRY_NOEXCEPT;
void belfry_re2_destroy(belfry_re2_list *list) BELFRY_NOEXCEPT;

/// Adds a pattern, which ignores case unless it says `(?-i)`. For a syntax error, `reason` receives up to `capacity` bytes of RE2's
/// explanation, terminated by a zero.
int belfry_re2_add(
    belfry_re2_list *list, const char *pattern, size_t length, char *reason, size_t capacity) BELFRY_NOEXCEPT;

/// Compiles the list after the last addition.
int belfry_re2_compile(belfry_re2_list *list) BELFRY_NOEXCEPT;

/// The number of atoms: lower-case literals such that a pattern can only match a text that contains some of its atoms.
size_t belfry_re2_atom_count(const belfry_re2_list *list) BELFRY_NOEXCEPT;
/// An atom in UTF-8, which lives as long as the list.
const char *belfry_re2_atom(const belfry_re2_list *list, size_t index, size_t *length) BELFRY_NOEXCEPT;
/// The number of patterns without atoms. Every search compares them with the text.
size_t belfry_re2_broad_count(const belfry_re2_list *list) BELFRY_NOEXCEPT;

/// Finds the patterns that match a text in which the caller found `atoms`.
///
/// `hits` has room for every pattern of the list and receives the numbers of those that match, in no particular order.
int belfry_re2_search(
    const belfry_re2_list *list, const char *text, size_t length, const int32_t *atoms, size_t atom_count, int32_t *hits,
    size_t *hit_count) BELFRY_NOEXCEPT;

/// Finds the first match of one pattern at or after the byte `from`. Returns 1 with its place, 0 without a match, and -1 without memory.
int belfry_re2_find(
    const belfry_re2_list *list, size_t pattern, const char *text, size_t length, size_t from, size_t *start,
    size_t *end) BELFRY_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
