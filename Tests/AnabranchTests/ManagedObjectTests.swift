import Anabranch
import Foundation
import Testing

@Suite struct `Managed objects` {
    @Test func `an inserted object has its defaults, a permanent ID and is no fault`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let person = try context.insert(Person.self)
            #expect(person.age == 0)
            #expect(person.calls == ["insert 0"])
            #expect(person.isInserted && !person.isUpdated && !person.isFault)
            #expect(context.hasChanges)
            #expect(context.insertedObjects == [person])
            let id = person.objectID
            try context.save()
            #expect(person.objectID == id)
            #expect(!person.isInserted && !context.hasChanges)
        }
    }

    @Test func `every type of attribute comes back as it was written`() throws {
        let graph = try Graph()
        let token = UUID()
        let moment = Date(timeIntervalSinceReferenceDate: 123_456.25)
        let decimal = try #require(Decimal(string: "12345678901234567890.123"))
        try graph.inContext { context throws in
            let sample = try context.insert(Sample.self)
            sample.big = .max
            sample.colour = .green
            sample.data = Data([0, 1, 255])
            sample.decimal = decimal
            sample.double = -0.0
            sample.flag = true
            sample.float = 0.1
            sample.medium = -7
            sample.moment = moment
            sample.small = .min
            sample.text = "e\u{301}\0x"
            sample.token = token
            sample.uri = try #require(URL(string: "https://example.org/a?b"))
            try context.save()
        }
        try graph.inContext { context throws in
            let sample = try #require(try context.fetch(FetchRequest<Sample>()).first)
            #expect(sample.big == .max)
            #expect(sample.colour == .green)
            #expect(sample.data == Data([0, 1, 255]))
            #expect(sample.decimal == decimal)
            #expect(sample.double.sign == .minus)
            #expect(sample.flag)
            #expect(sample.float == 0.1)
            #expect(sample.medium == -7)
            #expect(sample.moment == moment)
            #expect(sample.small == .min)
            #expect(Array(sample.text.utf8) == Array("e\u{301}\0x".utf8))
            #expect(sample.token == token)
            #expect(sample.uri.absoluteString == "https://example.org/a?b")
        }
    }

    @Test func `missing values read as absent and optionals as nil`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let sample = try context.insert(Sample.self)
            #expect(sample.big == 0 && sample.text == "" && !sample.flag)
            #expect(sample.colour == nil)
            #expect(try context.insert(Person.self).firstName == nil)
        }
    }

    @Test func `a plain object is read and written by name`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let company = try context.insert("Company")
            company["name"] = "River"
            #expect(company["name"] == "River")
            #expect(try company.value(forKey: "name", as: String.self) == "River")
            let person = try context.insert("Person")
            #expect(person is Person)
            try person.setObject(company, forKey: "company")
            #expect(try person.object(forKey: "company") === company)
            #expect(try company.objects(forKey: "staff").contains(person))
            #expect(
                try company.objectIDs(forRelationshipNamed: "staff") == [person.objectID])
            try person.setValue(7, forKey: "salary")
            #expect(try person.value(forKey: "salary") == .decimal(ExactDecimal(7)))
        }
    }

    @Test func `wrong names and types are typed errors that name the property`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let person = try context.insert(Person.self)
            func code(_ body: () throws -> Void) -> PropertyError.Code? {
                do {
                    try body()
                    return nil
                } catch {
                    #expect((error as? PropertyError)?.property != nil)
                    return (error as? PropertyError)?.code
                }
            }
            #expect(code { _ = try person.value(forKey: "nose") } == .unknownProperty)
            #expect(code { _ = try person.value(forKey: "boss") } == .wrongKind)
            #expect(code { _ = try person.object(forKey: "age") } == .wrongKind)
            #expect(code { _ = try person.object(forKey: "reports") } == .wrongKind)
            #expect(code { try person.setValue("ten", forKey: "age") } == .wrongType)
            #expect(
                code { let _: Int = try person.value(forKey: "firstName") } == .wrongType)
            let company = try context.insert("Company")
            #expect(code { try person.setObject(company, forKey: "boss") } == .foreignObject)
            #expect(person.age == 0 && person.boss == nil)
        }
    }

    @Test func `a value is brought to the attribute's type where nothing is lost`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let sample = try context.insert(Sample.self)
            try sample.setValue(.double(5), forKey: "big")
            try sample.setValue(Decimal(-7), forKey: "small")
            try sample.setValue(Decimal(1) / 8, forKey: "double")
            #expect(sample.big == 5 && sample.small == -7 && sample.double == 0.125)
            for (key, value) in [
                ("big", PropertyValue.double(5.5)), ("big", 1e19), ("small", 40_000.0),
                ("big", "5"),
            ] {
                #expect(throws: PropertyError.self) { try sample.setValue(value, forKey: key) }
            }
            #expect(sample.big == 5 && sample.small == -7)
        }
    }

    @Test func `messages show values as they are written`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let sample = try context.insert(Sample.self)
            func message(_ value: PropertyValue, _ key: String) -> String? {
                #expect(throws: PropertyError.self) { try sample.setValue(value, forKey: key) }?
                    .message
            }
            #expect(
                message(99_999, "small")
                    == "Can't set Sample.small to 99999 because its type is integer16.")
            #expect(
                message("text", "big")
                    == "Can't set Sample.big to 'text' because its type is integer64.")
        }
    }

    @Test func `an error that a subscript can't throw is thrown by the next save`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let person = try context.person("Anna")
            person["nose"] = 3
            let error = #expect(throws: PropertyError.self) { try context.save() }
            #expect(error?.property == "nose")
            #expect(person.isInserted)
            try context.save()
            #expect(!context.hasChanges)
        }
    }

    @Test func `fetched objects are faults until a property is read`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            try context.person("Anna", age: 3)
            try context.save()
        }
        try graph.inContext { context throws in
            let person = try #require(try context.people().first)
            let before = graph.readStatements
            #expect(person.isFault && person.calls.isEmpty)
            #expect(person.age == 3)
            #expect(!person.isFault && person.calls == ["fetch"])
            #expect(graph.readStatements == before)
            #expect(try person.hasFault(forRelationshipNamed: "reports"))
            #expect(person.reports.isEmpty)
            #expect(try !person.hasFault(forRelationshipNamed: "reports"))
        }
    }

    @Test func `changed and committed values show what a save would write`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let person = try context.person("a")
            #expect(try person.committedValues() == [:])
            try context.save()
            #expect(try person.changedValues() == [:])
            person.firstName = "b"
            #expect(try person.changedValues() == ["firstName": "b"])
            #expect(try person.committedValues(forKeys: ["firstName"]) == ["firstName": "a"])
            #expect(person.isUpdated && context.updatedObjects == [person])
            person.firstName = "a"
            #expect(person.isUpdated && context.hasChanges)
            #expect(!person.hasPersistentChangedValues)
            let saves = try graph.coordinator.history().count
            try context.save()
            #expect(!context.hasChanges)
            #expect(try graph.coordinator.history().count == saves)
        }
    }

    @Test func `a transient value is kept by a save and lost by a refresh`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let person = try context.person("Anna")
            try context.save()
            person.mood = "glad"
            #expect(person.isUpdated && !person.hasPersistentChangedValues)
            try context.save()
            #expect(person.mood == "glad")
            try context.refresh(person, mergeChanges: false)
            #expect(person.mood == nil)
        }
    }
}

@Suite struct `Classes` {
    @Test(
        arguments: [
            ([Wrong.self], "nose"), ([Short.self], "lastName"), ([Homeless.self], ""),
            ([Person.self, Rootless.self], ""),
        ] as [([ManagedObject.Type], String)])
    func `a class that differs from the model is refused by name`(
        classes: [ManagedObject.Type], property: String
    ) throws {
        let graph = try Graph()
        let file = graph.file("other.anabranch")
        let container = PersistentContainer(
            model: try CompanyModel.make(), classes: classes, url: file)
        let error = #expect(throws: PropertyError.self) { try container.load() }
        #expect(error?.code == .classMismatch)
        #expect(error?.property ?? "" == property)
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func `an entity without a class has that of the entity above`() throws {
        let graph = try Graph()
        let container = PersistentContainer(
            model: try CompanyModel.make(), classes: [Person.self],
            url: graph.file("other.anabranch"))
        try container.load()
        try container.newBackgroundContext().performAndWait { context in
            let employee = try context.insert("Employee")
            #expect(employee is Person)
            #expect(type(of: try context.insert("Group")) == ManagedObject.self)
            #expect(throws: PropertyError.self) { try context.insert(Group.self) }
        }
    }
}

private final class Wrong: ManagedObject {
    override class var entityName: String { "Group" }
    override class var slotNames: [String] { ["nose", "members"] }
}

private final class Short: ManagedObject {
    override class var entityName: String { "Person" }
    override class var slotNames: [String] { ["age", "firstName"] }
}

private final class Homeless: ManagedObject {
    override class var entityName: String { "Nobody" }
}

private final class Rootless: ManagedObject {
    override class var entityName: String { "Employee" }
    override class var slotNames: [String] { Employee.slotNames }
}
