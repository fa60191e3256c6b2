/// The version shown by `belfry --version` and in the connect reply.
public enum Version {
    public static let number = "0.1.0"
    /// The commit it was built from; `unknown` outside a checkout.
    public static let commit = Commit.name
    public static let text = "\(number) (\(commit))"
}
