import Anabranch
import Foundation

/// An app in three releases. Each changes the model, and every release opens the stores of all
/// earlier ones.
///
/// | release | an entity Contact with |
/// |---|---|
/// | 1 | name, phone |
/// | 2 | name, telephone (phone was renamed), email (added) |
/// | 3 | givenName and familyName (name was split), telephone, email |
enum Contacts {
    /// The models that were shipped. A release never changes those of earlier ones.
    static let versions = [
        ManagedObjectModelReference("Contacts 1") {
            try ManagedObjectModel {
                EntityDeclaration("Contact") {
                    AttributeDeclaration("name", .string)
                    AttributeDeclaration("phone", .string)
                }
            }
        },
        ManagedObjectModelReference("Contacts 2") {
            try ManagedObjectModel {
                EntityDeclaration("Contact") {
                    AttributeDeclaration("email", .string)
                    AttributeDeclaration("name", .string)
                    AttributeDeclaration("telephone", .string, renamingIdentifier: "phone")
                }
            }
        },
        ManagedObjectModelReference("Contacts 3") {
            try ManagedObjectModel {
                EntityDeclaration("Contact") {
                    AttributeDeclaration("email", .string)
                    AttributeDeclaration("familyName", .string)
                    AttributeDeclaration("givenName", .string)
                    AttributeDeclaration("telephone", .string, renamingIdentifier: "phone")
                }
            }
        },
    ]

    /// The stages from any version to the third: the second is inferred, the third needs code.
    static let migration = StagedMigration([
        .lightweight([versions[0], versions[1]]),
        .custom("Split the names", from: versions[1], to: versions[2]) { context, former in
            for contact in try context.fetch(FetchRequest<ManagedObject>(entityName: "Contact")) {
                let name: String? = try former.value(forKey: "name", of: contact)
                guard let words = name?.split(separator: " ").map(String.init) else { continue }
                try contact.setValue(words.dropLast().joined(separator: " "), forKey: "givenName")
                try contact.setValue(words.last, forKey: "familyName")
            }
        },
    ])

    /// Opens a store as a release does.
    static func open(_ url: URL, release: Int) throws -> PersistentContainer {
        var description = PersistentStoreDescription(url: url)
        // The last version of the stages is the container's model, so earlier releases had fewer.
        description.stagedMigration =
            [
                nil, StagedMigration(Array(migration.stages.prefix(1))), migration,
            ][release - 1]
        let container = PersistentContainer(
            model: try versions[release - 1].model(), storeDescription: description)
        try container.load()
        return container
    }
}

extension Cookbook {
    /// Uses one store with three releases of an app.
    ///
    /// `Cookbook three-releases STORE RELEASE` runs one release with a store that stays.
    @MainActor
    static func threeReleases() throws {
        let words = Array(CommandLine.arguments.dropFirst(2))
        if let store = words.first, let release = words.last.flatMap({ Int($0) }),
            words.count == 2, Contacts.versions.indices.contains(release - 1)
        {
            return try run(release: release, URL(filePath: store))
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for release in 1...3 {
            try run(release: release, folder.appending(path: "contacts.store"))
        }
    }

    /// Adds the contact of a release if the store lacks it, and prints all contacts.
    @MainActor
    private static func run(release: Int, _ url: URL) throws {
        let container = try Contacts.open(url, release: release)
        defer { container.coordinator.close() }
        let context = container.viewContext
        let people = [
            ["name": "Ada Lovelace", "phone": "1815"],
            ["name": "Grace Brewster Hopper", "telephone": "1906", "email": "grace@example.org"],
            ["givenName": "Alan", "familyName": "Turing", "telephone": "1912"],
        ]
        let phone = release == 1 ? "phone" : "telephone"
        var request = FetchRequest<ManagedObject>(entityName: "Contact")
        request.predicate = try FetchPredicate("\(phone) == %@", people[release - 1][phone] ?? "")
        if try context.count(for: request) == 0 {
            let contact = try context.insert("Contact")
            for (key, value) in people[release - 1] { try contact.setValue(value, forKey: key) }
            context.transactionAuthor = "release \(release)"
            try context.save()
        }
        print("Release \(release)")
        request.predicate = nil
        request.sorts = [FetchSort(phone)]
        for contact in try context.fetch(request) {
            let values = contact.entity.attributes.compactMap { attribute -> String? in
                guard case .string(let text) = contact[attribute.name] else { return nil }
                return "\(attribute.name) \(text)"
            }
            print("  \(values.joined(separator: ", "))")
        }
        let authors = try container.coordinator.history().map(\.author)
        print("  saved by \(authors.joined(separator: ", "))")
    }
}
