/// Whether a message is pushed to the phones of offline users (`MS2`). Absent means `default`.
public enum PushOption: String, Codable, Sendable, CaseIterable {
    case `default`, suppress
}

/// The sound of a push that also rings on a muted phone (`MS2`).
public struct CriticalAlert: Codable, Hashable, Sendable {
    /// A sound that the app ships, 1–128 code points.
    public var name: String
    /// 0 to 1.
    public var volume: Double

    public init(name: String, volume: Double) {
        self.name = name
        self.volume = volume
    }
}
