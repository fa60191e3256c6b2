import ChatModel

extension ChatState {
    /// Reads the bodies of the messages whose sender some events replace, so that an attempt notes those on disk.
    package func needBodies(for events: [Event]) {
        for case .userReplaced(let replaced) in events {
            guard let channel = channels[replaced.channel] ?? imports.channel(replaced.channel)?.state else { continue }
            let messages = channel.messages
            guard let number = messages.number(of: replaced.user) else { continue }
            for place in messages.places(after: replaced.after, upTo: replaced.upTo)
            where messages.indices.contains(place) && messages.isSent(by: number, at: place) {
                let message = messages[place]
                if !message.isDeleted { message.needBody() }
            }
        }
    }
}
