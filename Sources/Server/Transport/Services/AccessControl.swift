import API
import ChatEngine
import Gateway

/// Authenticates connections and requests by user tokens and by the backend's server keys.
package final class AccessControl: Sendable {
    private let tokens: any TokenChecker
    private let authenticator: (any Authenticator)?
    private let revokedTokens: RevokedTokens
    let keys: KeyRing

    /// - Parameter authenticator: The embedding program's authenticator, used instead of `tokens`.
    package init(
        tokens: any TokenChecker, authenticator: (any Authenticator)? = nil, revokedTokens: RevokedTokens,
        keys: KeyRing
    ) {
        self.tokens = tokens
        self.authenticator = authenticator
        self.revokedTokens = revokedTokens
        self.keys = keys
    }

    /// Whether the embedding program authenticates, perhaps by header fields that carry no token.
    var isByHost: Bool { authenticator != nil }

    /// Verifies credentials. All authentication goes through this method, and it refuses revoked tokens even if the
    /// embedding program accepted them.
    ///
    /// - Parameter completion: Called once, on the loop.
    func verify(
        _ presented: PresentedCredentials, on loop: any ConnectionLoop,
        then completion: @escaping @Sendable (Result<Identity, TokenRefusal>) -> Void
    ) {
        let checked: @Sendable (Result<Identity, TokenRefusal>) -> Void = { [revokedTokens] result in
            loop.post {
                // Check revocation here, not where the token was verified. A later revocation reaches the loop after
                // this closure and finds the connection.
                completion(result.flatMap { revokedTokens.refuses($0) ? .failure(.invalid) : .success($0) })
            }
        }
        guard let authenticator else { return tokens.verify(presented.token, then: checked) }
        authenticator.verify(presented, then: checked)
    }
}
