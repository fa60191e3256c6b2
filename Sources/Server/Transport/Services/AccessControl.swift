import API
import ChatEngine
import Gateway

/// Checks who connects or sends a request: the tokens of users, and the keys of the app's backend.
package final class AccessControl: Sendable {
    private let tokens: any TokenChecker
    private let authenticator: (any Authenticator)?
    private let revokedTokens: RevokedTokens
    let keys: KeyRing

    /// - Parameter authenticator: The embedding program's, used instead of `tokens`.
    package init(
        tokens: any TokenChecker, authenticator: (any Authenticator)? = nil, revokedTokens: RevokedTokens,
        keys: KeyRing
    ) {
        self.tokens = tokens
        self.authenticator = authenticator
        self.revokedTokens = revokedTokens
        self.keys = keys
    }

    /// Whether the embedding program authenticates, perhaps by other header fields than a token's.
    var isByHost: Bool { authenticator != nil }

    /// Verifies credentials. All authentication goes through here, and revoked tokens are refused whoever verified
    /// them.
    ///
    /// - Parameter completion: Called once, on the loop.
    func verify(
        _ presented: PresentedCredentials, on loop: any ConnectionLoop,
        then completion: @escaping @Sendable (Result<Identity, TokenRefusal>) -> Void
    ) {
        let checked: @Sendable (Result<Identity, TokenRefusal>) -> Void = { [revokedTokens] result in
            loop.post {
                // Check revocation here, not where the token was verified: a revocation from now on reaches the loop
                // after this closure, and finds the connection.
                completion(result.flatMap { revokedTokens.refuses($0) ? .failure(.invalid) : .success($0) })
            }
        }
        guard let authenticator else { return tokens.verify(presented.token, then: checked) }
        authenticator.verify(presented, then: checked)
    }
}
