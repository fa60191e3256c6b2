/// Whom a message mentions (`MS2`): some people by name, or everyone in the channel.
public enum MentionType: String, Codable, Sendable, CaseIterable {
    case users, channel
}
