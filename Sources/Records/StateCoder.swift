import ChatDomain
import ChatModel
internal import SwiftProtobuf

/// The compact binary form of the state's pieces (`state.proto`, version 1): what a snapshot keeps in a frame.
package enum StateCoder {
    /// Counts up whenever an older server could not read what a newer one writes.
    package static let version: UInt32 = 1

    /// - Returns: `nil` when the piece would be larger than 2 GiB.
    package static func encode(_ part: StatePart) -> [UInt8]? {
        // The same state gives the same bytes in every process, maps too.
        var options = BinaryEncodingOptions()
        options.useDeterministicOrdering = true
        return try? ProtoStatePart(part).serializedBytes(options: options)
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
        }
    }
}

extension StatePart {
    fileprivate init(_ proto: ProtoStatePart) throws(RecordError) {
        switch proto.part {
        case .app(let it): self = .app(try AppPart(it))
        case .users(let it): self = .users(try all(it.users, UserPart.init))
        case .files(let it): self = .files(try all(it.files, FilePart.init))
        case .orphans(let it): self = .orphans(it.ids.map(\.file))
        case .reports(let it): self = .reports(try all(it.reports, ReportPart.init))
        case .channel(let it): self = .channel(try ChannelPart(it))
        case .members(let it): self = .members(try Records.channel(it.channel), try all(it.members, MemberPart.init))
        case .messages(let it): self = .messages(try Records.channel(it.channel), try it.messages())
        case nil: throw .unknownEvent
        }
    }
}

/// A map that keeps the type of the error.
func all<Element, Result>(
    _ elements: [Element], _ body: (Element) throws(RecordError) -> Result
) throws(RecordError) -> [Result] {
    var results: [Result] = []
    results.reserveCapacity(elements.count)
    for element in elements { results.append(try body(element)) }
    return results
}
