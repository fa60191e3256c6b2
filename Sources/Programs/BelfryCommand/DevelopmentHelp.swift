import Belfry
import Foundation

/// Prints help for `serve --development`: tokens for two users and commands to make them chat.
enum DevelopmentHelp {
    static func show(
        _ address: Server.Address, _ secrets: Secrets, _ tokens: Configuration.Tokens, hasPage: Bool
    ) throws {
        let day: Int64 = 86_400
        let ann = try secrets.token(for: "ann", lifetimeSeconds: day, tokens: tokens)
        let bob = try secrets.token(for: "bob", lifetimeSeconds: day, tokens: tokens)
        let host = address.host.contains(":") ? "[\(address.host)]" : address.host
        let base = "http://\(host):\(address.port)"
        let links = """

            Or open a browser window for each of them:

              \(base)/#token=\(ann)
              \(base)/#token=\(bob)

            """
        let text = """

            Development mode: keys are generated and kept in the data folder. Two tokens, valid for a day:

              ANN=\(ann)
              BOB=\(bob)

            Paste them into a terminal, then let ann and bob talk:

              curl -s \(base)/v1/user.get -H "Authorization: Bearer $BOB" -d '{}'
              curl -s \(base)/v1/channel.create -H "Authorization: Bearer $ANN" -d '{"id":"general","user_ids":["bob"]}'
              curl -s \(base)/v1/message.send -H "Authorization: Bearer $ANN" -d '{"channel_id":"general","text":"hello bob"}'
              curl -s \(base)/v1/message.list -H "Authorization: Bearer $BOB" -d '{"channel_id":"general"}'
            \(hasPage ? links : "")
            Clients connect to ws://\(host):\(address.port)/connection/websocket. Server key: \(secrets.apiKey ?? "none")


            """
        try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }
}
