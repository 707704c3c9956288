import AnabranchServer
import Foundation

/// The command `anabranchd backup`.
enum BackupCommand {
    static func run(_ arguments: [String]) throws {
        let options = try CommandOptions(arguments, of: "backup", known: ["store"])
        guard !options.wantsHelp else { return print(HelpText.backup) }
        let directory = try options.backupDirectory()
        let store = try options.store()
        defer { store.close() }
        let backup = try ZoneStore(StoreLocation("sqlite:\(directory)"))
        defer { backup.close() }
        // No daemon may serve a backup, and no other process write it at the same time.
        try backup.lock()
        try store.copyZones(to: backup, replacing: true, progress: ZoneCopy.show)
    }
}

/// The command `anabranchd restore`.
enum RestoreCommand {
    static func run(_ arguments: [String]) throws {
        let options = try CommandOptions(
            arguments, of: "restore", known: ["store"], flags: ["replace"])
        guard !options.wantsHelp else { return print(HelpText.restore) }
        let directory = try options.backupDirectory()
        guard FileManager.default.fileExists(atPath: "\(directory)/tokens.sqlite") else {
            throw HTTPServerError("There is no backup in \(directory).")
        }
        let backup = try ZoneStore(StoreLocation("sqlite:\(directory)"))
        defer { backup.close() }
        let store = try options.store(creating: true)
        defer { store.close() }
        try store.lock()
        try backup.copyZones(
            to: store, replacing: options.isSet("replace"), beginningEpochs: true,
            progress: ZoneCopy.show)
    }
}

/// The command `anabranchd migrate-store`.
enum MigrateStoreCommand {
    static func run(_ arguments: [String]) throws {
        let options = try CommandOptions(
            arguments, of: "migrate-store", known: ["from", "to"], flags: ["final"])
        guard !options.wantsHelp else { return print(HelpText.migrateStore) }
        try options.expectNoWords()
        let from = try options.location("from", as: "the store to move")
        let to = try options.location("to", as: "the store that takes its place")
        guard from != to else { throw options.usage("Both stores are the same.") }
        let source = try options.existing(from)
        defer { source.close() }
        let target = try ZoneStore(to)
        defer { target.close() }
        guard options.isSet("final") else {
            try source.copyZones(to: target, progress: ZoneCopy.show)
            return print(
                "Stop the daemons of \(from), then repeat the command with --final. It copies what "
                    + "is new, and no daemon serves \(from) after that.")
        }
        try source.move(to: target, named: to, progress: ZoneCopy.show)
        print("Serve \(to) now.")
    }
}

extension ZoneCopy {
    /// Prints a line about the zone.
    static func show(_ copy: ZoneCopy) {
        let amount =
            switch copy.entries {
            case nil: "whole"
            case 0: "unchanged"
            case 1: "1 entry"
            case let count?: "\(count) entries"
            }
        print("\(copy.zone)  \(amount)")
    }
}
