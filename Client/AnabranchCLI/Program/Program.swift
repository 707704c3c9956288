import Foundation

/// Runs one command line and returns its exit status.
enum Program {
    static let version = "0.1.0"

    static func run(_ words: [String]) async -> ExitStatus {
        let console = Console()
        // A write to a closed pipe then returns an error, so that files are closed in order.
        signal(SIGPIPE, SIG_IGN)
        // Stores, copies, bundles and keys are for their owner only, whatever the shell allows.
        umask(0o077)
        guard !words.isEmpty else {
            console.writeNote(CommandTable.help.trimmingCharacters(in: .newlines))
            return .usage
        }
        do {
            try await dispatch(words, console)
            try console.finish()
            return .success
        } catch is OutputClosed {
            return .inputOutput
        } catch {
            let report = FailureReport(error)
            console.writeNote("anabranch: \(report.message)")
            return report.status
        }
    }

    private static func dispatch(_ words: [String], _ console: Console) async throws {
        guard let first = words.first else {
            throw UsageError("A command is missing.")
        }
        switch first {
        case "--help", "-h": return try console.output.write(CommandTable.help)
        case "--version": return try console.print("anabranch \(version)")
        case "help": return try help(Array(words.dropFirst()), console)
        default: break
        }
        guard !first.hasPrefix("-") else {
            throw UsageError("The command comes first, not '\(first)'.")
        }
        let (command, wordCount) = try CommandTable.command(beginning: words)
        let store = console.environment["ANABRANCH_STORE"].flatMap { $0.isEmpty ? nil : $0 }
        let parser = ArgumentParser(command.specification, environmentStore: store)
        let arguments = try parser.parse(Array(words.dropFirst(wordCount)))
        guard !arguments.isSet("help") else {
            return try console.output.write(command.specification.help)
        }
        try await command.init(arguments).run(console)
    }

    private static func help(_ words: [String], _ console: Console) throws {
        guard !words.isEmpty else { return try console.output.write(CommandTable.help) }
        let (command, _) = try CommandTable.command(beginning: words)
        try console.output.write(command.specification.help)
    }
}
