import Anabranch
import Foundation
import TestSupport

/// A worker that saves a number of times, beside others that save to the same store, and then
/// ends. It adds a byte to a ledger after each save.
struct TurnWorker {
    let container: PersistentContainer
    let ledger: FileHandle
    var generator: SeededGenerator

    /// The limit of pairs, so that a long run does not slow down.
    private static let maximumPairs = 20

    mutating func run(saves: Int) async throws {
        for _ in 0..<saves {
            while try await !save() {}
            try ledger.write(contentsOf: Data(".".utf8))
        }
    }

    /// Adds a pair of notes, in place of another one if there are many.
    ///
    /// - Returns: False if another process has changed the notes since they were read.
    private mutating func save() async throws -> Bool {
        let name = String(generator.next(), radix: 16)
        do {
            try await container.performBackgroundTask { context in
                let notes = try context.fetch(FetchRequest<ManagedObject>(entityName: "Note"))
                let pairs = Dictionary(grouping: notes) { $0["pair"] }
                if pairs.count >= Self.maximumPairs, let pair = pairs.values.randomElement() {
                    for note in pair { context.delete(note) }
                }
                for _ in 0..<2 { try context.insert("Note")["pair"] = .string(name) }
                try context.save()
            }
            return true
        } catch is SaveConflictError {
            return false
        }
    }
}
