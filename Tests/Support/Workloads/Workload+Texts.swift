import API
import ChatModel
import WireProtocol

extension Workload {
    private static let sendRequest = Array(
        #"{"channel_id":"channel-1","client_id":"c-0192","text":"\#(String(decoding: usualText, as: UTF8.self))"}"#.utf8
    )
    private static let sendCommand =
        Array(#"{"id":7,"rpc":{"method":"message.send","data":"#.utf8) + sendRequest + Array("}}".utf8)

    private static let protobufCommand: [UInt8] = {
        var writer = ProtoWriter(capacity: 512)
        writer.delimited {
            $0.number(1, 7)
            $0.message(13) {
                $0.data(1, sendRequest[...])
                $0.text(2, "message.send")
            }
        }
        return writer.bytes
    }()

    static let texts = [
        Workload("JSON: envelope of message.send") { { keep(try CommandFrame(sendCommand)) } },
        Workload("Protobuf: envelope of message.send") { { keep(try CommandFrame(protobuf: protobufCommand)) } },
        Workload("JSON: request of message.send") {
            { keep(SendMessage(usual: try JSONFields(sendRequest))) }
        },
        Workload("JSON: request of reaction.add") {
            let id = MessageID(milliseconds: 1_780_000_000_000, random: (1, 2))
            let request = Array(#"{"channel_id":"channel-1","message_id":"\#(id)","key":"sob"}"#.utf8)
            return { keep(AddReaction(usual: try JSONFields(request))) }
        },
        Workload("JSON: request of read.mark") {
            let request = Array(#"{"channel_id":"channel-1"}"#.utf8)
            return { keep(MarkRead(usual: try JSONFields(request))) }
        },
    ]
}
