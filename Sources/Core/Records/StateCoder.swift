import ChatDomain
import ChatModel
internal import SwiftProtobuf

/// The encoder and decoder for pieces of state in a snapshot's frames (`state.proto`, version 6).
package enum StateCoder {
    /// The version of the format. It increases when older servers cannot read what a newer server writes.
    package static let version: UInt32 = 6

    /// - Returns: The encoded piece; `nil` if it would exceed 2 GiB.
    package static func encode(_ part: StatePart) -> [UInt8]? {
        // The same state, including maps, must give the same bytes in every process.
        var options = BinaryEncodingOptions()
        options.useDeterministicOrdering = true
        return try? ProtoStatePart(part).serializedBytes(options: options)
    }

    package static func decoded(_ bytes: [UInt8]) -> Result<StatePart, RecordError> {
        Result { () throws(RecordError) in try decode(bytes) }
    }

    package static func decode(_ bytes: [UInt8]) throws(RecordError) -> StatePart {
        guard let proto = try? ProtoStatePart(serializedBytes: bytes) else { throw .malformed }
        return try StatePart(proto)
    }
}

extension ProtoStatePart {
    fileprivate init(_ part: StatePart) {
        self.init()
        switch part {
        case .app(let it): app = ProtoAppPart(it)
        case .users(let list): users = .with { $0.users = list.map(ProtoUserPart.init) }
        case .files(let list): files = .with { $0.files = list.map(ProtoFilePart.init) }
        case .orphans(let ids): orphans = .with { $0.ids = ids.map { ProtoId($0) } }
        case .reports(let list): reports = .with { $0.reports = list.map(ProtoReportPart.init) }
        case .channel(let it): channel = ProtoChannelPart(it)
        case .members(let id, let list):
            members = .with {
                $0.channel = id.rawValue
                $0.members = list.map(ProtoMemberPart.init)
            }
        case .messages(let id, let list): messages = ProtoMessageParts(id, list)
        case .emojis(let list): emojis = .with { $0.emojis = list.map(ProtoEmoji.init) }
        case .channelMore(let id, let it): channelMore = ProtoChannelMorePart(id, it)
        case .threadMarks(let id, let user, let list):
            threadMarks = .with {
                $0.channel = id.rawValue
                $0.user = user.rawValue
                $0.marks = list.map(ProtoThreadMark.init)
            }
        case .reactions(let id, let place, let it):
            reactions = .with {
                $0.channel = id.rawValue
                $0.message = UInt64(clamping: place)
                $0.reactions = ProtoReactions(it)
            }
        case .imports(let list): imports = .with { $0.imports = list.map(ProtoImportPart.init) }
        case .blocks(let id, let list): blocks = ProtoBlockParts(id, list)
        case .erased(let list): erased = .with { $0.users = list.map(ProtoErasedUser.init) }
        case .roles(let list): roles = .with { $0.grants = list.map(ProtoRoleGrant.init) }
        case .textRules(let list): textRules = .with { $0.rules = list.map(ProtoTextRule.init) }
        case .moderationLog(let list): moderationLog = .with { $0.entries = list.map(ProtoModerationPart.init) }
        case .blockLists(let list): blockLists = .with { $0.blocks = list.map(ProtoBlockListPart.init) }
        case .appSanctions(let it): appSanctions = ProtoAppSanctions(it)
        case .runs(let id, let first, let list): runs = ProtoRunParts(id, first, list)
        }
    }
}

extension StatePart {
    fileprivate init(_ proto: ProtoStatePart) throws(RecordError) {
        switch proto.part {
        case .app(let it): self = .app(try AppPart(it))
        case .users(let it): self = .users(try decodeAll(it.users, UserPart.init))
        case .files(let it): self = .files(try decodeAll(it.files, FilePart.init))
        case .orphans(let it): self = .orphans(it.ids.map(\.file))
        case .reports(let it): self = .reports(try decodeAll(it.reports, ReportPart.init))
        case .channel(let it): self = .channel(try ChannelPart(it))
        case .members(let it):
            self = .members(try Records.channel(it.channel), try decodeAll(it.members, MemberPart.init))
        case .messages(let it): self = .messages(try Records.channel(it.channel), try it.columns())
        case .emojis(let it): self = .emojis(it.emojis.map(Emoji.init))
        case .channelMore(let it): self = .channelMore(try Records.channel(it.channel), try ChannelMorePart(it))
        case .threadMarks(let it):
            self = .threadMarks(
                try Records.channel(it.channel), try Records.user(it.user), it.marks.map(MemberPart.ThreadMark.init))
        case .reactions(let it):
            self = .reactions(
                try Records.channel(it.channel), place: Int(clamping: it.message), try ReactionsPart(it.reactions))
        case .imports(let it): self = .imports(try decodeAll(it.imports, ImportPart.init))
        case .blocks(let it): self = .blocks(try Records.channel(it.channel), try it.parts())
        case .roles(let it): self = .roles(try decodeAll(it.grants, RoleDefinition.init))
        case .textRules(let it): self = .textRules(try decodeAll(it.rules, TextRuleDefinition.init))
        case .moderationLog(let it): self = .moderationLog(try decodeAll(it.entries, ModerationPart.init))
        case .blockLists(let it): self = .blockLists(try decodeAll(it.blocks, BlockListPart.init))
        case .appSanctions(let it): self = .appSanctions(try AppSanctionsPart(it))
        case .erased(let it): self = .erased(try decodeAll(it.users, ErasedUser.init))
        case .runs(let it):
            self = .runs(try Records.channel(it.channel), first: Int(clamping: it.first), try it.parts())
        case nil: throw .unknownEvent
        }
    }
}

/// Maps the elements, like `map` but with typed throws.
func decodeAll<Element, Result>(
    _ elements: [Element], _ body: (Element) throws(RecordError) -> Result
) throws(RecordError) -> [Result] {
    var results: [Result] = []
    results.reserveCapacity(elements.count)
    for element in elements { results.append(try body(element)) }
    return results
}
