import AnabranchModel

/// All subcommands, in the order in which the help lists them.
enum CommandTable {
    static var groups: [(title: String, commands: [any Command.Type])] {
        [
            (
                "Stores:",
                [
                    InitCommand.self, StatusCommand.self, HashCommand.self, VerifyCommand.self,
                    MigrateCommand.self, ConvertCommand.self, CompactCommand.self,
                ]
            ),
            (
                "Models:",
                [
                    ModelCheckCommand.self, ModelShowCommand.self, ModelDiffCommand.self,
                    ModelGraphCommand.self, ModelWriteCommand.self,
                ]
            ),
            ("Many records:", [ImportCommand.self, ExportCommand.self]),
            (
                "Records:",
                [
                    InsertCommand.self, GetCommand.self, FetchCommand.self, ExplainCommand.self,
                    UpdateCommand.self, DeleteCommand.self,
                ]
            ),
            ("Syncing:", [SyncCommand.self, WatchCommand.self, MinimumVersionCommand.self]),
            (
                "Bundles:",
                [BundleCreateCommand.self, BundleApplyCommand.self, BundleShowCommand.self]
            ),
            (
                "Keys of sealed bundles:",
                [
                    KeyCreateCommand.self, KeyRotateCommand.self, KeyShowCommand.self,
                    KeyAddCommand.self, KeyRemoveCommand.self,
                ]
            ),
            (
                "History and conflicts:",
                [
                    LogCommand.self, ShowCommand.self, ConflictsCommand.self, RejectedCommand.self,
                    OrphansCommand.self, DuplicatesCommand.self,
                ]
            ),
        ]
    }

    static var all: [any Command.Type] { groups.flatMap(\.commands) }

    /// The command at the beginning of a command line; some names have two words.
    ///
    /// - Returns: The command and the number of words of its name.
    static func command(
        beginning words: [String]
    ) throws(UsageError) -> (command: any Command.Type, wordCount: Int) {
        let first = words.first ?? ""
        let seconds: [String] = all.compactMap { command in
            let parts = command.specification.name.split(separator: " ")
            return parts.count == 2 && String(parts[0]) == first ? String(parts[1]) : nil
        }
        guard !seconds.isEmpty else { return (try command(named: first), 1) }
        guard let second = words.dropFirst().first, seconds.contains(second) else {
            let last = seconds.last ?? ""
            throw UsageError(
                "'\(first)' is followed by \(seconds.dropLast().joined(separator: ", ")) or "
                    + "\(last).")
        }
        return (try command(named: "\(first) \(second)"), 2)
    }

    private static func command(named name: String) throws(UsageError) -> any Command.Type {
        if let command = all.first(where: { $0.specification.name == name }) { return command }
        let names = all.map { $0.specification.name }
        let meant = NearestWord.suggestion(for: name, among: names)
        throw UsageError(
            "There is no command '\(name)'." + (meant.map { " Did you mean '\($0)'?" } ?? ""))
    }

    static var help: String {
        var sections = [
            "Usage: anabranch COMMAND STORE [ENTITY] …",
            "Works with Anabranch stores: object graphs in SQLite files that sync.\n"
                + "Only their owner can read the files that it creates (umask 077).",
        ]
        for group in groups {
            let rows = group.commands.map { ($0.specification.name, $0.specification.summary) }
            sections.append(HelpText.list(group.title, rows))
        }
        sections.append(
            HelpText.list(
                "Environment:",
                [
                    ("ANABRANCH_STORE", "The store; STORE can then be omitted."),
                    ("ANABRANCH_TOKEN", "The token for the sync server."),
                    ("ANABRANCH_CA_FILE", "The certificate authorities to trust for the server."),
                    ("ANABRANCH_CLIENT_CERTIFICATE", "The certificate of this client."),
                    ("ANABRANCH_CLIENT_KEY", "The private key of that certificate."),
                    ("NO_COLOR", "If set, output has no colours."),
                ]))
        let statuses = ExitStatus.allCases.map { (String($0.rawValue), $0.meaning) }
        sections.append(HelpText.list("Exit status:", statuses))
        sections.append("'anabranch COMMAND --help' explains a command.")
        return sections.joined(separator: "\n\n") + "\n"
    }
}
