import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// SwiftNIO's WebSocket server as its own example has it: every text that comes on /pub goes to everyone on /sub.
///
///     NIOPeer PORT
@main
enum NIOPeer {
    static func main() throws {
        let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 0
        // One loop: rooms need no lock, and CPU per delivery is what is asked, not how many cores help.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let room = Room()
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: 1 << 20,
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
            upgradePipelineHandler: { channel, head in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        Connection(room: room, subscribes: head.uri == "/sub"))
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
final class Room: @unchecked Sendable {
    var subscribers: [ObjectIdentifier: Channel] = [:]

    func broadcast(_ text: ByteBuffer) {
        let frame = WebSocketFrame(fin: true, opcode: .text, data: text)
        for subscriber in subscribers.values { subscriber.writeAndFlush(frame, promise: nil) }
    }
}

final class Connection: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let room: Room
    private let subscribes: Bool

    init(room: Room, subscribes: Bool) {
        self.room = room
        self.subscribes = subscribes
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if subscribes { room.subscribers[ObjectIdentifier(context.channel)] = context.channel }
    }

    func channelInactive(context: ChannelHandlerContext) {
        room.subscribers[ObjectIdentifier(context.channel)] = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text where !subscribes: room.broadcast(frame.unmaskedData)
        case .ping:
            context.writeAndFlush(
                wrapOutboundOut(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)), promise: nil)
        case .connectionClose: context.close(promise: nil)
        default: break
        }
    }
}
