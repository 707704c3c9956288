import Anabranch
import Foundation

/// The operations on objects of a local store, in one context.
///
/// The object that a turn changes or reads on from is read in the preparation. A deletion finds its
/// object itself, because among some hundred objects it would look at each of them.
final class CountedStore: CountedSide {
    private let container: PersistentContainer
    private let context: BackgroundContext
    private let data = PeopleData(count: 1000)
    // These properties are used only in the bodies of the context.
    nonisolated(unsafe) private var ids: [ManagedObjectID] = []
    nonisolated(unsafe) private var objects: [ManagedObject] = []

    init(_ path: String) throws {
        let model = try ManagedObjectModel {
            PersonStore.entity
            FolderStore.entities
        }
        container = PersistentContainer(
            model: model, classes: [Person.self, Folder.self, Note.self],
            url: URL(fileURLWithPath: path))
        try container.load()
        context = container.newBackgroundContext()
    }

    /// Creates a store with objects, and closes it.
    static func create(_ path: String) throws {
        let store = try CountedStore(path)
        try store.context.performAndWait { context in
            try PersonStore.insert(PeopleData(count: CountedSize.people), into: context)
            for number in 0..<CountedSize.folders {
                let folder = try context.insert(Folder.self)
                folder.name = "Folder \(number)"
                for place in 0..<CountedSize.notesEach {
                    let note = try context.insert(Note.self)
                    note.title = "Note \(place)"
                    note.folder = folder
                }
            }
            try context.save()
        }
        store.container.coordinator.close()
    }

    func prepare(_ operation: CountedOperation, turns: Int) throws {
        try context.performAndWait { context in
            switch operation {
            case .change, .delete, .find:
                ids = try Self.ids(of: FetchRequest<Person>(), in: context)
            case .fire:
                // Each of these is in another folder.
                let request = try FetchRequest<Note>(where: \.title == "Note 0")
                ids = try Self.ids(of: request, in: context)
            case .members: ids = try Self.ids(of: FetchRequest<Folder>(), in: context)
            default: break
            }
            if [.change, .fire, .members].contains(operation) {
                objects = try ids.prefix(turns).map { try context.existingObject(with: $0) }
            }
        }
    }

    private static func ids<Object: ManagedObject>(
        of request: FetchRequest<Object>, in context: ManagedObjectContext
    ) throws -> [ManagedObjectID] {
        var request = request
        request.sorts = [FetchSort("SELF")]
        return try context.objectIDs(for: request)
    }

    func run(_ operation: CountedOperation, turns: Int) throws {
        try context.performAndWait { context in
            switch operation {
            case .fetch: try fetch(turns, in: context)
            case .bulkSave:
                for turn in 0..<turns { try insert(turn, into: context) }
                try context.save()
            case .insertTen:
                for turn in 0..<turns {
                    try insert(turn, into: context)
                    if turn % 10 == 9 { try context.save() }
                }
            default:
                for turn in 0..<turns {
                    let object = objects.isEmpty ? nil : objects[turn]
                    try run(operation, turn, object, in: context)
                }
            }
        }
    }

    private func run(
        _ operation: CountedOperation, _ turn: Int, _ object: ManagedObject?,
        in context: ManagedObjectContext
    ) throws {
        switch (operation, object) {
        case (.insert, _):
            try insert(turn, into: context)
            try context.save()
        case (.change, let person as Person):
            person.age += 1
            try context.save()
        case (.delete, _):
            context.delete(try context.existingObject(with: ids[turn]))
            try context.save()
        case (.find, _):
            guard let person = try context.existingObject(with: ids[turn]) as? Person,
                person.checksum > 0
            else { throw Unexpected("an object was not found") }
        case (.fire, let note as Note):
            guard note.folder?.name != nil else { throw Unexpected("a folder is missing") }
        case (.members, let folder as Folder):
            let titles = folder.notes.count { $0.title != nil }
            guard titles == CountedSize.notesEach else { throw Unexpected("\(titles) notes came") }
        case (.count, _):
            let age = Int64(turn % 1000)
            let count = try context.count(for: FetchRequest<Person>(where: \.age == age))
            guard count == CountedSize.people / 1000 else { throw Unexpected("\(count) are found") }
        default: throw Unexpected("a local store does not \(operation.rawValue)")
        }
    }

    private func insert(_ turn: Int, into context: ManagedObjectContext) throws {
        let person = try context.insert(Person.self)
        person.age = data.ages[turn % data.count]
        person.firstName = data.firstNames[turn % data.count]
        person.lastName = data.lastNames[turn % data.count]
    }

    private func fetch(_ count: Int, in context: ManagedObjectContext) throws {
        var request = FetchRequest<Person>()
        request.fetchLimit = count
        let people = try context.fetch(request)
        guard people.count == count, people.reduce(0, { $0 &+ $1.checksum }) > 0 else {
            throw Unexpected("\(people.count) objects were fetched")
        }
    }
}
