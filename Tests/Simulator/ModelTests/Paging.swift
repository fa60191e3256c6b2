import ChatModel

/// A command whose list is paged.
protocol Paged: Request {
    /// The token of the previous page.
    var token: String? { get set }
}

/// A paged request with only a token in `next`.
protocol PlainlyPaged: Paged {
    var next: String? { get set }
}

extension PlainlyPaged {
    var token: String? {
        get { next }
        set { next = newValue }
    }
}

extension ListMembers: PlainlyPaged {}
extension ListOperators: PlainlyPaged {}
extension ListBanned: PlainlyPaged {}
extension ListMuted: PlainlyPaged {}
extension ListReactionUsers: PlainlyPaged {}
extension ListReceipts: PlainlyPaged {}
extension ListChannels: PlainlyPaged {}
extension ListPublicChannels: PlainlyPaged {}
extension ListThreads: PlainlyPaged {}
extension ListUsers: PlainlyPaged {}
extension ListAllUsers: PlainlyPaged {}
extension SearchMessages: PlainlyPaged {}

extension ListMessages: Paged {
    var token: String? {
        get {
            guard case .token(let token) = next else { return nil }
            return token
        }
        set { next = newValue.map { .token($0) } }
    }
}

/// A response that is one page of a list.
protocol Page {
    /// The token of the next page.
    var next: String? { get }
}

extension ListMembers.Response: Page {}
extension ListOperators.Response: Page {}
extension ListBanned.Response: Page {}
extension ListMuted.Response: Page {}
extension ListReactionUsers.Response: Page {}
extension ListReceipts.Response: Page {}
extension ChannelsResponse: Page {}
extension ListThreads.Response: Page {}
extension UsersResponse: Page {}
extension SearchMessages.Response: Page {}
extension ListMessages.Response: Page {}

extension Outcome {
    /// The number of items on it.
    var size: Int {
        switch self {
        case .members(let list, _): list.count
        case .sanctions(let list, _): list.count
        case .messages(let list, _, _, _): list.count
        case .found(let list, _): list.count
        case .users(let list, _): list.count
        case .people(let list, _): list.count
        case .channels(let list, _): list.count
        case .threads(let list, _, _): list.count
        case .receipts(let list, _, _, _): list.count
        default: 0
        }
    }
}
