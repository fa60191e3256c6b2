extension Setting {
    /// What a setting that is a number has in a configuration; nil for one of another kind.
    package func number(in configuration: Belfry.Configuration) -> Int? {
        switch target {
        case .number(_, let path): configuration[keyPath: path]
        case .milliseconds(_, let path): Int(configuration[keyPath: path])
        default: nil
        }
    }
}
