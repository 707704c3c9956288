import Anabranch
import Foundation

/// An object with eight attributes of different types.
final class Contact: ManagedObject {
    override class var entityName: String { "Contact" }
    override class var slotNames: [String] {
        ["born", "city", "email", "firstName", "height", "isActive", "lastName", "visits"]
    }

    var born: Date? {
        get { self[slot: 0] }
        set { self[slot: 0] = newValue }
    }
    var city: String? {
        get { self[slot: 1] }
        set { self[slot: 1] = newValue }
    }
    var email: String? {
        get { self[slot: 2] }
        set { self[slot: 2] = newValue }
    }
    var firstName: String? {
        get { self[slot: 3] }
        set { self[slot: 3] = newValue }
    }
    var height: Double {
        get { self[slot: 4] }
        set { self[slot: 4] = newValue }
    }
    var isActive: Bool {
        get { self[slot: 5] }
        set { self[slot: 5] = newValue }
    }
    var lastName: String? {
        get { self[slot: 6] }
        set { self[slot: 6] = newValue }
    }
    var visits: Int64 {
        get { self[slot: 7] }
        set { self[slot: 7] = newValue }
    }

    /// A sum that depends on every attribute, which proves that all were read.
    var checksum: Int64 {
        let texts = [city, email, firstName, lastName]
        return texts.reduce(visits &+ (isActive ? 1 : 0)) { $0 &+ Int64($1?.utf8.count ?? 0) }
            &+ Int64(height) &+ Int64(born?.timeIntervalSinceReferenceDate ?? 0)
    }
}

enum ContactStore {
    static func open(_ path: String) throws -> PersistentContainer {
        let model = try ManagedObjectModel {
            EntityDeclaration("Contact") {
                AttributeDeclaration("born", .date)
                AttributeDeclaration("city", .string)
                AttributeDeclaration("email", .string)
                AttributeDeclaration("firstName", .string)
                AttributeDeclaration("height", .double)
                AttributeDeclaration("isActive", .boolean)
                AttributeDeclaration("lastName", .string)
                AttributeDeclaration("visits", .integer64)
            }
        }
        let container = PersistentContainer(
            model: model, classes: [Contact.self], url: URL(fileURLWithPath: path))
        try container.load()
        return container
    }

    static func fill(_ path: String, with data: PeopleData) throws {
        try open(path).newBackgroundContext().performAndWait { context in
            for row in 0..<data.count {
                let contact = try context.insert(Contact.self)
                contact.born = Date(timeIntervalSinceReferenceDate: Double(row) * -3600)
                contact.city = "City\(row % 500)"
                contact.email = "\(data.firstNames[row])@example.org"
                contact.firstName = data.firstNames[row]
                contact.height = 1.5 + Double(row % 50) / 100
                contact.isActive = row.isMultiple(of: 3)
                contact.lastName = data.lastNames[row]
                contact.visits = data.ages[row]
            }
            try context.save()
        }
    }
}
