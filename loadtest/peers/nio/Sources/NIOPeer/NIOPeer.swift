import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// SwiftNIO's WebSocket server, built like its example: relays every text from /pub to all connections on /sub, and every
/// text from a connection on /rooms/17 to all connections on the same path.
///
///     NIOPeer PORT
@main
enum NIOPeer {
    static func main() throws {
        let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 0
        // One loop: rooms need no lock, and CPU per delivery is what is asked, not how many cores help.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let rooms = Rooms()
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: 1 << 20,
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
            upgradePipelineHandler: { channel, head in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        Connection(
                            room: rooms[head.uri == "/pub" ? "/sub" : head.uri], listens: head.uri != "/pub",
                            sends: head.uri != "/sub"))
                }
            })
        let channel = try ServerBootstrap(group: group)
            .serverChannelOption(ChannelOptions.backlog, value: 4096)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.pipeline.configureHTTPServerPipeline(
                    withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
            }
            .bind(host: "127.0.0.1", port: port).wait()
        try channel.closeFuture.wait()
    }
}

/// Confined to the one loop there is.
final class Rooms: @unchecked Sendable {
    private var rooms: [String: Room] = [:]

    subscript(name: String) -> Room {
        if let room = rooms[name] { return room }
        let room = Room()
        rooms[name] = room
        return room
    }
}

/// Confined to the one loop there is.
final class Room: @unchecked Sendable {
    var listeners: [ObjectIdentifier: Channel] = [:]

    func broadcast(_ text: ByteBuffer) {
        let frame = WebSocketFrame(fin: true, opcode: .text, data: text)
        for listener in listeners.values { listener.writeAndFlush(frame, promise: nil) }
    }
}

final class Connection: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let room: Room
    private let listens: Bool
    private let sends: Bool

    init(room: Room, listens: Bool, sends: Bool) {
        (self.room, self.listens, self.sends) = (room, listens, sends)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if listens { room.listeners[ObjectIdentifier(context.channel)] = context.channel }
    }

    func channelInactive(context: ChannelHandlerContext) {
        room.listeners[ObjectIdentifier(context.channel)] = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text where sends: room.broadcast(frame.unmaskedData)
        case .ping:
            context.writeAndFlush(
                wrapOutboundOut(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)), promise: nil)
        case .connectionClose: context.close(promise: nil)
        default: break
        }
    }
}
