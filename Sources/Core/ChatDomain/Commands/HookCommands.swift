import ChatModel

extension SetHook: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let target = try checkedTarget()
        return Decision(target == state.hook ? [] : [.hookSet(target)])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> HookResponse { HookResponse(hook: state.hook?.hook) }

    /// - Returns: Nil to remove the hook.
    private func checkedTarget() throws(Rejection) -> HookTarget? {
        guard let url else {
            guard secret == nil, previousSecret == nil, timeoutMilliseconds == nil, onFailure == nil else {
                throw Rejection(.invalidValue, "url: required with the other fields")
            }
            return nil
        }
        guard let secret, let onFailure else {
            throw Rejection(.invalidValue, "\(secret == nil ? "secret" : "on_failure"): required with url")
        }
        try FieldChecks.receiver(url, "url")
        try FieldChecks.signingKey(secret, "secret")
        if let previousSecret { try FieldChecks.signingKey(previousSecret, "previous_secret") }
        let timeout = timeoutMilliseconds ?? MessageHook.defaultMilliseconds
        try FieldChecks.size(timeout, "timeout_ms", FieldLimits.hookMilliseconds)
        return HookTarget(
            hook: MessageHook(url: url, timeoutMilliseconds: timeout, onFailure: onFailure), secret: secret,
            previousSecret: previousSecret)
    }
}

extension GetHook: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> HookResponse {
        HookResponse(hook: state.hook?.hook)
    }
}
