import Anabranch

/// Shows or raises the version of the app that a zone needs.
struct MinimumVersionCommand: Command {
    static let specification = CommandSpecification(
        name: "minimum-version",
        summary: "Shows or raises the version of the app that the zone needs.",
        discussion: [
            "With VERSION, the store asks the apps of its zone for that version or a later one. "
                + "This is a save like every other one, which the next sync sends. An app of a "
                + "lower version stops to sync when it has pulled the save. It keeps its own "
                + "saves, and sends them after its update. The minimum never falls.",
            "This program itself syncs with every zone.",
        ],
        arguments: [
            .store,
            ArgumentSpecification(
                "VERSION", "The version, a positive whole number.", isRequired: false),
        ],
        options: [.author, .json],
        examples: [
            .init("minimum-version geo.store", "Shows the minimum, as of the last sync."),
            .init("minimum-version geo.store 12", "Asks for version 12 or a later one."),
        ])

    let path: String
    let version: Int?
    let arguments: ParsedArguments

    init(_ arguments: ParsedArguments) throws(UsageError) {
        self.arguments = arguments
        path = try arguments.word("STORE")
        guard let word = arguments.optionalWord("VERSION") else {
            version = nil
            return
        }
        guard let number = Int(word), number > 0 else {
            throw arguments.error("VERSION is a positive whole number, not '\(word)'.")
        }
        version = number
    }

    func run(_ console: Console) async throws {
        let container = try StoreFile.open(path, for: version == nil ? .reading : .writing)
        defer { container.coordinator.close() }
        let present = try container.coordinator.minimumVersion()
        if let version, version != present {
            try container.coordinator.setMinimumVersion(
                version, author: StoreFile.author(arguments))
        }
        let minimum = version ?? present
        if arguments.isSet("json") {
            return try console.print(
                JSONText.object { json in
                    if let minimum {
                        json.member("minimumVersion", minimum)
                    } else {
                        json.member("minimumVersion", nil as String?)
                    }
                })
        }
        guard let minimum else {
            return try console.print("The zone needs no version of the app.")
        }
        let sent = version == nil || version == present ? "" : " The next sync sends this."
        try console.print("The zone needs version \(minimum) of the app or a later one.\(sent)")
    }
}
