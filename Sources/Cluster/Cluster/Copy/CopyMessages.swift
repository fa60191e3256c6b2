internal import FoundationEssentials
import Gateway
import Journal
internal import SwiftProtobuf

/// What a node asks the one whose journal it copies.
enum CopyQuestion: Equatable, Sendable {
    case begin
    /// For the bytes of a file from an offset on.
    case read(copy: UInt64, file: Int, offset: Int)
    case end(copy: UInt64)
}

enum CopyAnswer: Equatable, Sendable {
    case refusal(CopyRefusal)
    case list(copy: UInt64, JournalPieces)
    case piece([UInt8])
}

/// Why a node does not serve a copy.
package enum CopyRefusal: Equatable, Sendable {
    /// It cannot read its journal.
    case failed
    /// Another copy, or a snapshot, is under way.
    case busy
    /// The copy has ended.
    case noSuchCopy
}

/// The bounds of a copy.
package enum CopyLimits {
    /// The size of a piece in bytes. Pieces travel on the connection of the node's log, whose messages wait behind them.
    static let pieceBytes = 256 << 10
    /// The greatest number of files, so that their list fits into a message.
    package static let files = 4_096
    /// The greatest size of a file in bytes.
    static let fileBytes = 1 << 40
}

extension CopyQuestion {
    func encoded(from node: NodeID) -> [UInt8] {
        var proto = ProtoCopyRequest()
        proto.sender = ProtoNode(node)
        switch self {
        case .begin: proto.begin = ProtoCopyBegin()
        case .read(let copy, let file, let offset):
            proto.read.copy = copy
            proto.read.file = UInt32(clamping: file)
            proto.read.offset = UInt64(clamping: offset)
        case .end(let copy): proto.end.copy = copy
        }
        return proto.encoded
    }

    /// - Returns: Nil for what no node sends.
    static func decoded(_ bytes: [UInt8]) -> (sender: NodeID, question: CopyQuestion)? {
        guard let proto = ProtoCopyRequest(encoded: bytes), let sender = NodeID(proto.sender) else { return nil }
        switch proto.content {
        case .begin: return (sender, .begin)
        case .read(let read):
            guard read.offset <= CopyLimits.fileBytes else { return nil }
            return (sender, .read(copy: read.copy, file: Int(read.file), offset: Int(read.offset)))
        case .end(let end): return (sender, .end(copy: end.copy))
        case nil: return nil
        }
    }
}

extension CopyAnswer {
    var encoded: [UInt8] {
        var proto = ProtoCopyReply()
        switch self {
        case .refusal(.failed): proto.refusal = .failed
        case .refusal(.busy): proto.refusal = .busy
        case .refusal(.noSuchCopy): proto.refusal = .noSuchCopy
        case .list(let copy, let pieces):
            proto.list.copy = copy
            proto.list.lastFrame = pieces.last
            proto.list.files = pieces.files.map { file in
                var proto = ProtoCopyFile()
                proto.name = file.name
                proto.size = UInt64(clamping: file.size)
                return proto
            }
        case .piece(let bytes):
            proto.piece.bytes = Data(bytes)
            proto.piece.checksum = JournalPieces.checksum(bytes)
        }
        return proto.encoded
    }

    /// - Returns: Nil for what no node sends, such as the name of another file, and for a piece with another checksum.
    init?(_ bytes: [UInt8]) {
        guard let proto = ProtoCopyReply(encoded: bytes) else { return nil }
        switch proto.content {
        case .refusal(.failed), .refusal(.UNRECOGNIZED): self = .refusal(.failed)
        case .refusal(.busy): self = .refusal(.busy)
        case .refusal(.noSuchCopy): self = .refusal(.noSuchCopy)
        case .list(let list):
            guard list.copy > 0, (1...CopyLimits.files).contains(list.files.count),
                Set(list.files.map(\.name)).count == list.files.count,
                list.files.allSatisfy({ JournalPieces.isPiece($0.name) && $0.size <= CopyLimits.fileBytes })
            else { return nil }
            let files = list.files.map { JournalPieces.File(name: $0.name, size: Int($0.size)) }
            self = .list(copy: list.copy, JournalPieces(files: files, last: list.lastFrame))
        case .piece(let piece):
            let bytes = [UInt8](piece.bytes)
            guard !bytes.isEmpty, bytes.count <= CopyLimits.pieceBytes,
                JournalPieces.checksum(bytes) == piece.checksum
            else { return nil }
            self = .piece(bytes)
        case nil: return nil
        }
    }
}
