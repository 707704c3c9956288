import AnabranchProtocol
import AnabranchServer
import Foundation

/// The command line of `anabranchd`.
enum Daemon {
    static let version = "0.1.0"

    enum ExitStatus {
        static let success: Int32 = 0
        static let failure: Int32 = 1
        /// The command line is wrong; `EX_USAGE` of sysexits.h.
        static let usage: Int32 = 64
        /// The configuration is wrong; `EX_CONFIG` of sysexits.h.
        static let configuration: Int32 = 78
    }

    static func run(_ arguments: [String]) -> Int32 {
        StandardStreams.reserve()
        // A backup goes on if the reader of its progress has ended.
        signal(SIGPIPE, SIG_IGN)
        guard let command = arguments.first else {
            StandardError.write("\(HelpText.overview)\n")
            return ExitStatus.usage
        }
        // Zones, tokens, backups and logs are for their owner only, whatever the shell allows.
        umask(0o077)
        do {
            try dispatch(command, Array(arguments.dropFirst()))
            // The output of a service is a note only.
            guard command == "serve" || StandardStreams.flush() else {
                report("Can't write all of the output.")
                return ExitStatus.failure
            }
            return ExitStatus.success
        } catch let error as UsageError {
            report("\(error.message)\nTry: anabranchd \(error.command)--help")
            return ExitStatus.usage
        } catch let error as ConfigurationError {
            report(error.description)
            return ExitStatus.configuration
        } catch let error as ProtocolError {
            report(error.operatorMessage)
            return ExitStatus.failure
        } catch {
            report("\(error)")
            return ExitStatus.failure
        }
    }

    private static func dispatch(_ command: String, _ rest: [String]) throws {
        switch command {
        case "serve": try ServeCommand.run(rest)
        case "check-config": try CheckConfigCommand.run(rest)
        case "token": try TokenCommand.run(rest)
        case "zone": try ZoneCommand.run(rest)
        case "backup": try BackupCommand.run(rest)
        case "restore": try RestoreCommand.run(rest)
        case "migrate-store": try MigrateStoreCommand.run(rest)
        case "--help", "-h", "help": print(HelpText.overview)
        case "--version", "version": print("anabranchd \(version)")
        default:
            throw UsageError(
                "There is no command '\(command)'. The commands are serve, check-config, token, "
                    + "zone, backup, restore and migrate-store.",
                command: "")
        }
    }

    static func report(_ message: String) {
        let secrets = SecretWords(
            CommandLine.arguments, environment: ProcessInfo.processInfo.environment)
        StandardError.write("anabranchd: \(secrets.hidden(in: message))\n")
    }
}

/// An error in the command line.
struct UsageError: Error {
    let message: String
    /// The command, followed by a space. It is empty if the command is unknown.
    let command: String

    init(_ message: String, command: String) {
        self.message = message
        self.command = command.isEmpty ? "" : command + " "
    }
}
