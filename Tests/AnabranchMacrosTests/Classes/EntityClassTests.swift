import Anabranch
import Foundation
import TestSupport
import Testing

@Suite struct `Classes with @Entity at work` {
    private func container(
        _ folder: TemporaryDirectory, classes: [ManagedObject.Type] = Staff.classes
    ) throws -> PersistentContainer {
        let container = PersistentContainer(
            model: try Staff.model(), classes: classes,
            url: URL(filePath: folder.file("staff.store")))
        try container.load()
        return container
    }

    @Test func `the names of slots are in the order of the model`() throws {
        let model = try Staff.model()
        for type in Staff.classes {
            let entity = try #require(model.entity(named: type.entityName))
            #expect(type.slotNames == entity.slots.map(\.name))
        }
        #expect(Staff.Desk.entityName == "Furniture")
        #expect(PublicPerson.slotNames == ["age"])
        @Entity class Local: ManagedObject { private var secret: Int64 }
        @Entity class Below: Local { var b: Int64 }
        #expect(Below.slotNames == ["secret", "b"])
    }

    @Test func `attributes of every kind are saved and fetched`() throws {
        let folder = try TemporaryDirectory()
        try container(folder).newBackgroundContext().performAndWait { context in
            let ada = try context.insert(Staff.Person.self)
            #expect(ada.calls == ["insert 18"])
            #expect(ada.mood == nil)
            ada.name = "Ada"
            ada.in = true
            ada.mood = .cross
            ada.born = Date(timeIntervalSinceReferenceDate: 7)
            ada.celebrate()
            ada.hands = [.left: "pen"]
            try context.save()
        }
        try container(folder).newBackgroundContext().performAndWait { context in
            let ada = try #require(try context.fetch(FetchRequest<Staff.Person>()).first)
            #expect(ada.label == "Ada, 19 years")
            #expect(ada.greeting == "Hello, Ada")
            #expect(ada.in && ada.mood == .cross && ada.calls.isEmpty)
            #expect(ada.born == Date(timeIntervalSinceReferenceDate: 7))
            #expect(try ada.value(forKey: "mood") == .integer(2))
            #expect(ada.hands == [.left: "pen"])
            ada.hands?[.right] = "cup"
            #expect(ada.hasPersistentChangedValues && ada.hands?.count == 2)
        }
    }

    @Test func `relationships change both ends`() throws {
        let folder = try TemporaryDirectory()
        try container(folder).newBackgroundContext().performAndWait { context in
            let people = try ["Ada", "Bob", "Cleo"].map { name in
                let person = try context.insert(Staff.Person.self)
                person.name = name
                return person
            }
            let desk = try context.insert(Staff.Desk.self)
            desk.title = "Oak"
            people[1].boss = people[0]
            people[0].reports.insert(people[2])
            people[0].friends.insert(people[2])
            desk.user = people[0]
            try context.save()
            #expect(Set(people[0].reports) == [people[1], people[2]])
        }
        try container(folder).newBackgroundContext().performAndWait { context in
            var request = FetchRequest<Staff.Person>()
            request.predicate = try FetchPredicate("name == 'Cleo'")
            let cleo = try #require(try context.fetch(request).first)
            #expect(cleo.boss?.name == "Ada")
            #expect(cleo.friends.map(\.name) == ["Ada"])
            #expect(cleo.boss?.desk?.title == "Oak")
            #expect(cleo.desk == nil)
        }
    }

    @Test func `the slots of a sub-entity come after the inherited ones`() throws {
        let folder = try TemporaryDirectory()
        try container(folder).newBackgroundContext().performAndWait { context in
            let chief = try context.insert(Staff.Chief.self)
            let pupil = try context.insert(Staff.Engineer.self)
            chief.name = "Ada"
            chief.badge = "A1"
            chief.level = 9
            chief.budget = 12.5
            pupil.name = "Bob"
            pupil.mentor = chief
            pupil.boss = chief
            try context.save()
        }
        try container(folder).newBackgroundContext().performAndWait { context in
            let chief = try #require(try context.fetch(FetchRequest<Staff.Chief>()).first)
            #expect(chief.name == "Ada" && chief.badge == "A1" && chief.level == 9)
            #expect(chief.budget == 12.5 && chief.mentor == nil)
            #expect(chief.pupils.map(\.name) == ["Bob"])
            #expect(chief.reports.objects == chief.pupils.objects)
            for name in Staff.Chief.slotNames.prefix(6) + ["badge", "level", "budget"] {
                #expect(throws: Never.self) { try chief.value(forKey: name) as PropertyValue }
            }
            #expect(try chief.value(forKey: "level") == .integer(9))
        }
    }

    @Test(arguments: [
        (Staff.Half.self as ManagedObject.Type, "born"), (Staff.Stool.self, "legs"),
    ])
    func `a class that differs from the model is refused`(
        type: ManagedObject.Type, property: String
    ) throws {
        let folder = try TemporaryDirectory()
        let error = #expect(throws: PropertyError.self) {
            _ = try container(folder, classes: [type])
        }
        #expect(error?.code == .classMismatch && error?.property == property)
    }

    @Test func `a class of a sub-entity has the names of its super-entity`() throws {
        let folder = try TemporaryDirectory()
        let error = #expect(throws: PropertyError.self) {
            _ = try container(folder, classes: [Staff.Person.self, Staff.Stray.self])
        }
        #expect(error?.code == .classMismatch && error?.property == "badge")
    }
}
