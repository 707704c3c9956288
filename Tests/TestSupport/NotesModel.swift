package import Anabranch

/// The model of the tests with real processes: notes in pairs, which are saved together.
package enum NotesModel {
    /// Creates the model.
    package static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Note") {
                AttributeDeclaration("pair", .string)
                AttributeDeclaration("text", .string)
                AttributeDeclaration("edits", .integer64)
            }
        }
    }

    /// One save: a new pair of notes, or an edit or a deletion of both notes of an old pair.
    package struct RandomSave: Sendable {
        private let kind: Int
        private let choice: UInt64

        /// Draws one random save.
        package init(using generator: inout SeededGenerator) {
            kind = Int.random(in: 0..<10, using: &generator)
            choice = generator.next()
        }

        /// - Parameter maximumPairs: If the store has this many pairs, the save deletes one instead
        ///   of inserting one.
        package func run(in context: ManagedObjectContext, maximumPairs: Int = .max) throws {
            let pairs = Dictionary(
                grouping: try context.fetch(FetchRequest<ManagedObject>(entityName: "Note"))
            ) { $0["pair"] }
            let names = pairs.keys.compactMap(\.text).sorted()
            let isFull = names.count >= maximumPairs
            guard kind >= 5 || isFull, !names.isEmpty else { return try insert(in: context) }
            let chosen = names[Int(choice % UInt64(names.count))]
            for note in pairs[.string(chosen)] ?? [] {
                let isDeleting = kind == 9 || (kind < 5 && isFull)
                if isDeleting {
                    context.delete(note)
                } else {
                    note["edits"] = .integer(Int64(kind))
                }
            }
            try context.save()
        }

        private func insert(in context: ManagedObjectContext) throws {
            let name = String(choice, radix: 16)
            for half in ["left", "right"] {
                let note = try context.insert("Note")
                note["pair"] = .string(name)
                note["text"] = .string("\(half) of \(name)")
            }
            try context.save()
        }
    }
}

extension PropertyValue {
    fileprivate var text: String? {
        if case .string(let text) = self { text } else { nil }
    }
}
