/// The version shown by `belfry --version` and in the connect reply.
public enum Version {
    /// The version number.
    public static let number = "0.1.0"
    /// The commit that the server was built from; `unknown` outside a checkout.
    public static let commit = Commit.name
    /// The version and the commit, as `belfry --version` prints them.
    public static let text = "\(number) (\(commit))"
}
