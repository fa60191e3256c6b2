import Glibc

/// Reads keys from files. In the environment, other processes of the same user could read them and children would
/// inherit them.
package enum SecretFiles {
    /// The variable, and the name of the matching systemd credential (`LoadCredential=`).
    private static let keys = [("BELFRY_TOKEN_SECRET", "token_secret"), ("BELFRY_API_KEY", "api_key")]
    /// The maximum size of a key file, far larger than any key.
    private static let maxKeyBytes = 4_096

    /// Variables that a process should not pass on to its children.
    package static let variables =
        keys.flatMap { [$0.0, $0.0 + "_FILE"] } + ["CREDENTIALS_DIRECTORY"]

    /// Returns the environment with keys read from files: from the path in `BELFRY_TOKEN_SECRET_FILE` or
    /// `BELFRY_API_KEY_FILE`, or from `token_secret` and `api_key` in `$CREDENTIALS_DIRECTORY`. A trailing newline is
    /// not part of the key.
    ///
    /// - Throws: For a key given twice, and for a file that cannot be read or is not UTF-8 text of at most 4,096 bytes.
    package static func resolved(_ environment: [String: String]) throws(ConfigurationError) -> [String: String] {
        var environment = environment
        for (name, credential) in keys {
            var sources: [(name: String, path: String?)] = []
            if environment[name] != nil { sources.append((name, nil)) }
            if let path = environment[name + "_FILE"] { sources.append((name + "_FILE", path)) }
            if let folder = environment["CREDENTIALS_DIRECTORY"] {
                let path = folder + "/" + credential
                if try exists(path) { sources.append(("the credential \(credential)", path)) }
            }
            guard sources.count <= 1 else {
                throw ConfigurationError(
                    "\(sources.map(\.name).joined(separator: " and ")) are set: keep only one")
            }
            if let path = sources.first?.path { environment[name] = try key(at: path) }
        }
        return environment
    }

    /// Reads a whole file.
    ///
    /// - Parameter limit: The maximum size. One more byte is read so that the caller can detect a longer file.
    static func bytes(
        at path: String, limit: Int, check: (Int32) throws(ConfigurationError) -> Void = { _ in }
    ) throws(ConfigurationError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            throw ConfigurationError("cannot read \"\(path)\": \(String(cString: strerror(errno)))")
        }
        defer { close(file) }
        try check(file)
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count < bytes.count {
            let read = bytes.withUnsafeMutableBytes {
                Glibc.read(file, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else {
                throw ConfigurationError("cannot read \"\(path)\": \(String(cString: strerror(errno)))")
            }
            if read == 0 { break }
            count += read
        }
        return Array(bytes[..<count])
    }

    /// A folder that this process cannot read is an error, not a missing key.
    private static func exists(_ path: String) throws(ConfigurationError) -> Bool {
        if access(path, F_OK) == 0 { return true }
        guard errno == ENOENT else {
            throw ConfigurationError("cannot access \"\(path)\": \(String(cString: strerror(errno)))")
        }
        return false
    }

    private static func key(at path: String) throws(ConfigurationError) -> String {
        let bytes = try bytes(at: path, limit: maxKeyBytes)
        guard bytes.count <= maxKeyBytes, let text = String(validating: bytes, as: UTF8.self) else {
            throw ConfigurationError(
                "\"\(path)\" contains no key: it must be UTF-8 text of at most \(maxKeyBytes) bytes")
        }
        if text.hasSuffix("\r\n") || text.hasSuffix("\n") { return String(text.dropLast()) }
        return text
    }
}
