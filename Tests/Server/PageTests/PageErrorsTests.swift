import ChatDomain
import ChatModel
import Page
import Testing

@Suite struct PageErrorsTests {
    @Test func `as many users can be selected as one command allows`() throws {
        let file = try #require(PageFiles.embedded()["/page/people-picker.js"])
        let text = String(decoding: file.bytes, as: UTF8.self)
        let most = try #require(text.firstMatch(of: /const MOST = (\d+);/)?.output.1)
        #expect(Int(most) == FieldLimits.idsPerCommand)
    }

    /// Errors that only a bug in the page could cause, or that the page handles itself. Users could not act on them.
    private static let withoutWords: Set<ErrorCode> = [
        .methodNotFound, .alreadySubscribed, .badRequest, .unrecoverablePosition, .serverOnly, .keyScope,
        .wrongMessageKind, .clientIDConflict,
    ]

    @Test func `the page has text for every error that users can encounter, and for no other`() throws {
        let file = try #require(PageFiles.embedded()["/page/errors.js"])
        let text = String(decoding: file.bytes, as: UTF8.self)
        let fixed = text.matches(of: /(?m)^  (\d+): "[^"]+",$/).compactMap { Int($0.output.1) }
        let told = try #require(text.firstMatch(of: /FIELDS_TOLD = new Set\(\[([\d, ]+)\]\)/)?.output.1)
        let words = fixed + told.split(separator: ", ").compactMap { Int($0) }
        #expect(Set(words).count == words.count && words == words.filter { ErrorCode(rawValue: $0) != nil })
        #expect(Set(words) == Set(ErrorCode.allCases.filter { !Self.withoutWords.contains($0) }.map(\.rawValue)))
    }
}
