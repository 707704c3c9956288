import AnabranchProtocol

/// The target of a request's path.
enum Route: Hashable {
    /// The server lives.
    case health
    /// The server can serve.
    case ready
    case zone(ZoneName, Page)

    enum Page: String, CaseIterable {
        case hello, push, pull, repair, snapshot, checksums, stage, part, events, hash
        /// The description of the zone, at the path that ends with the zone's name.
        case description = ""
    }

    /// Parses a path.
    ///
    /// - Throws: `notFound`, or `malformedRequest` for a name that no zone can have.
    init(path: String) throws(ProtocolError) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        // An absolute path begins with an empty part.
        guard parts.count >= 3, parts[0].isEmpty, parts[1] == "v1" else {
            throw Self.notFound(path)
        }
        if parts.count == 3, parts[2] == "health" {
            self = .health
            return
        }
        if parts.count == 3, parts[2] == "ready" {
            self = .ready
            return
        }
        guard parts[2] == "zones", (4...5).contains(parts.count) else {
            throw Self.notFound(path)
        }
        let name = parts.count == 5 ? parts[4] : ""
        guard let page = Page(rawValue: name), (page == .description) == (parts.count == 4) else {
            throw Self.notFound(path)
        }
        self = .zone(try ZoneName(parts[3]), page)
    }

    var methods: [String] {
        switch self {
        case .zone(_, .hello), .zone(_, .push), .zone(_, .pull), .zone(_, .repair),
            .zone(_, .snapshot), .zone(_, .checksums), .zone(_, .stage), .zone(_, .part):
            ["POST"]
        // HEAD is not allowed here: the headers of a stream without a body have no use.
        case .zone(_, .events): ["GET"]
        case .health, .ready, .zone: ["GET", "HEAD"]
        }
    }

    /// The least role of a token; `nil` if no token is needed.
    var role: TokenRole? {
        switch self {
        case .health, .ready: nil
        case .zone(_, .push), .zone(_, .stage): .write
        case .zone: .read
        }
    }

    /// The word for this route in metrics; few, whatever clients ask for.
    var label: String {
        switch self {
        case .health: "health"
        case .ready: "ready"
        case .zone(_, .description): "description"
        case .zone(_, let page): page.rawValue
        }
    }

    private static func notFound(_ path: String) -> ProtocolError {
        ProtocolError(.notFound, "There is nothing at \(path.shownPath).")
    }
}
