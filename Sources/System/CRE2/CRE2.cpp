#include "CRE2.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <re2/filtered_re2.h>
#include <re2/re2.h>
#include <re2/set.h>

using re2::FilteredRE2;
using re2::RE2;
using re2::StringPiece;

namespace {

/// RE2 reserves 64 bytes for an instruction and gives a program two thirds of the memory; the rest is the size of the objects.
constexpr size_t bytes_per_instruction = 96;
constexpr size_t bytes_per_pattern = 768;

RE2::Options options(size_t memory) {
    RE2::Options options;
    options.set_case_sensitive(false);
    options.set_log_errors(false);
    options.set_max_mem(static_cast<int64_t>(memory));
    return options;
}

/// Whether a pattern matches an empty place. What stands there depends on the two neighbours only: nothing, a new line, a letter or
/// another character.
bool matches_empty(const RE2 &pattern) {
    static const char *const neighbours[] = {"", "\n", "a", "-"};
    for (const char *before : neighbours) {
        for (const char *after : neighbours) {
            const std::string text = std::string(before) + after;
            const size_t place = strlen(before);
            if (pattern.Match(text, place, place, RE2::ANCHOR_BOTH, nullptr, 0)) return true;
        }
    }
    return false;
}

}  // namespace

struct belfry_re2_list {
    struct Entry {
        std::string pattern;
        size_t needed;
        size_t instructions;
    };

    belfry_re2_list(size_t memory, size_t pattern_memory, int shortest_atom, size_t broad_instructions)
        : pattern_memory(pattern_memory), broad_instructions(broad_instructions), broad_memory(memory / 6), free_memory(memory - memory / 6),
          patterns(shortest_atom), broad(options(broad_memory), RE2::UNANCHORED) {}

    const size_t pattern_memory;
    const size_t broad_instructions;
    /// For the patterns without atoms, which are searched together.
    const size_t broad_memory;
    /// For the others, each of which is searched alone.
    size_t free_memory;
    std::vector<Entry> entries;
    FilteredRE2 patterns;
    std::vector<std::string> atoms;
    RE2::Set broad;
    std::vector<int> broad_numbers;
    std::vector<bool> is_broad;
};

belfry_re2_list *belfry_re2_create(
    size_t memory, size_t pattern_memory, int shortest_atom, size_t broad_instructions) noexcept {
    try {
        return new belfry_re2_list(memory, pattern_memory, shortest_atom, broad_instructions);
    } catch (...) {
        return nullptr;
    }
}

void belfry_re2_destroy(belfry_re2_list *list) noexcept { delete list; }

int belfry_re2_add(
    belfry_re2_list *list, const char *pattern, size_t length, char *reason, size_t capacity) noexcept {
    try {
        const RE2 compiled(StringPiece(pattern, length), options(list->pattern_memory));
        if (!compiled.ok()) {
            if (compiled.error_code() == RE2::ErrorPatternTooLarge) return BELFRY_RE2_TOO_LARGE;
            if (capacity > 0) {
                const size_t count = std::min(capacity - 1, compiled.error().size());
                memcpy(reason, compiled.error().data(), count);
                reason[count] = 0;
            }
            return BELFRY_RE2_SYNTAX;
        }
        if (matches_empty(compiled)) return BELFRY_RE2_MATCHES_NOTHING;
        const size_t instructions = static_cast<size_t>(std::max(compiled.ProgramSize(), 1));
        const size_t needed = instructions * bytes_per_instruction + bytes_per_pattern + length;
        if (needed > list->free_memory) return BELFRY_RE2_OUT_OF_MEMORY;
        list->entries.push_back({std::string(pattern, length), needed, instructions});
        list->free_memory -= needed;
        return BELFRY_RE2_OK;
    } catch (...) {
        return BELFRY_RE2_OUT_OF_MEMORY;
    }
}

int belfry_re2_compile(belfry_re2_list *list) noexcept {
    try {
        if (list->entries.empty()) return BELFRY_RE2_OK;
        // What is left is divided equally. A pattern that gets little is searched without an automaton, which is slower.
        const size_t share = list->free_memory / list->entries.size();
        for (const auto &entry : list->entries) {
            const size_t memory = std::max(entry.needed, std::min(entry.needed + share, list->pattern_memory));
            int number = 0;
            if (list->patterns.Add(entry.pattern, options(memory), &number) != RE2::NoError)
                return BELFRY_RE2_OUT_OF_MEMORY;
        }
        list->patterns.Compile(&list->atoms);
        // Without any atom in the text, the patterns that may match are those without atoms.
        list->patterns.AllPotentials({}, &list->broad_numbers);
        list->is_broad.assign(list->entries.size(), false);
        size_t instructions = 0;
        for (const int number : list->broad_numbers) {
            instructions += list->entries[static_cast<size_t>(number)].instructions;
            if (instructions > list->broad_instructions) return BELFRY_RE2_TOO_BROAD;
            list->is_broad[static_cast<size_t>(number)] = true;
            if (list->broad.Add(list->entries[static_cast<size_t>(number)].pattern, nullptr) < 0)
                return BELFRY_RE2_OUT_OF_MEMORY;
        }
        list->entries.clear();
        list->entries.shrink_to_fit();
        if (list->broad_numbers.empty()) return BELFRY_RE2_OK;
        if (!list->broad.Compile()) return BELFRY_RE2_OUT_OF_MEMORY;
        // The automaton is created by the first search. It fails here if the memory does not suffice for twenty states, the least that
        // RE2 requires; later it only discards states.
        RE2::Set::ErrorInfo error{RE2::Set::kNoError};
        std::vector<int> found;
        if (!list->broad.Match("", &found, &error) && error.kind != RE2::Set::kNoError) return BELFRY_RE2_OUT_OF_MEMORY;
        return BELFRY_RE2_OK;
    } catch (...) {
        return BELFRY_RE2_OUT_OF_MEMORY;
    }
}

size_t belfry_re2_atom_count(const belfry_re2_list *list) noexcept { return list->atoms.size(); }

const char *belfry_re2_atom(const belfry_re2_list *list, size_t index, size_t *length) noexcept {
    *length = list->atoms[index].size();
    return list->atoms[index].data();
}

size_t belfry_re2_broad_count(const belfry_re2_list *list) noexcept { return list->broad_numbers.size(); }

int belfry_re2_search(
    const belfry_re2_list *list, const char *text, size_t length, const int32_t *atoms, size_t atom_count, int32_t *hits,
    size_t *hit_count) noexcept {
    try {
        const StringPiece piece(text, length);
        size_t count = 0;
        if (!list->broad_numbers.empty()) {
            RE2::Set::ErrorInfo error{RE2::Set::kNoError};
            std::vector<int> found;
            if (list->broad.Match(piece, &found, &error)) {
                for (const int index : found) hits[count++] = list->broad_numbers[static_cast<size_t>(index)];
            } else if (error.kind != RE2::Set::kNoError) {
                return BELFRY_RE2_OUT_OF_MEMORY;
            }
        }
        if (atom_count > 0) {
            std::vector<int> possible;
            list->patterns.AllPotentials(std::vector<int>(atoms, atoms + atom_count), &possible);
            for (const int number : possible) {
                if (list->is_broad[static_cast<size_t>(number)]) continue;
                // Without memory for an automaton, RE2 searches without one.
                if (list->patterns.GetRE2(number).Match(piece, 0, length, RE2::UNANCHORED, nullptr, 0))
                    hits[count++] = number;
            }
        }
        *hit_count = count;
        return BELFRY_RE2_OK;
    } catch (...) {
        return BELFRY_RE2_OUT_OF_MEMORY;
    }
}

int belfry_re2_find(
    const belfry_re2_list *list, size_t pattern, const char *text, size_t length, size_t from, size_t *start,
    size_t *end) noexcept {
    try {
        StringPiece match;
        const RE2 &compiled = list->patterns.GetRE2(static_cast<int>(pattern));
        if (!compiled.Match(StringPiece(text, length), from, length, RE2::UNANCHORED, &match, 1)) return 0;
        *start = static_cast<size_t>(match.data() - text);
        *end = *start + match.size();
        return 1;
    } catch (...) {
        return -1;
    }
}
