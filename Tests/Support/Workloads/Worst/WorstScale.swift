/// The size of the state on which the worst cases are measured.
package struct WorstScale: Sendable {
    /// Members of each super channel; the same number of users is in no channel.
    package var people = 20_000
    /// Channels per user.
    package var channels = 2_000
    /// The number of these that are super channels with everyone in them.
    package var halls = 20
    /// Replies in one thread.
    package var replies = 100_000
    /// Threads in which one user takes part, with one reply each.
    package var threads = 50_000
    /// Keys on one message, each with everyone's reaction.
    package var reactionKeys = 100
    /// Messages of the maximum size in one channel.
    package var largeMessages = 420
    /// Public channels without members.
    package var publicChannels = 10_000
    package var guests = 10_000
    package var reports = 100_000
    package var files = 20_000
    package var runs = 5

    package init() {}

    /// A scale for tests, in which everything that takes long is reduced to a hundredth.
    package static var small: WorstScale {
        var scale = WorstScale()
        scale.people = 200
        scale.channels = 40
        scale.halls = 12
        scale.replies = 1_000
        scale.threads = 500
        scale.reactionKeys = 10
        scale.largeMessages = 60
        scale.publicChannels = 100
        scale.guests = 100
        scale.reports = 1_000
        scale.files = 200
        scale.runs = 1
        return scale
    }
}
