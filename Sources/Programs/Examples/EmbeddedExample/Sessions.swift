/// The signed-in users. A real app would use a database and passwords.
actor Sessions {
    private var names: [String: String] = [:]

    func begin(_ name: String) -> String {
        var random = SystemRandomNumberGenerator()
        let token = String(random.next(), radix: 36) + String(random.next(), radix: 36)
        names[token] = name
        return token
    }

    func name(of token: String) -> String? { names[token] }
}
