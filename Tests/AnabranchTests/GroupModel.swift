import Anabranch
import Foundation
import TestSupport

/// A model of meetings with one value for their start and end.
enum GroupModel {
    /// - Parameter members: The members of the time that a version of the app knows.
    static func make(_ members: [String] = ["start", "end"]) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Meeting") {
                AttributeDeclaration("title", .string)
                for name in members { AttributeDeclaration(name, .integer32) }
                AttributeGroup("time", attributes: members)
            }
        }
    }
}

/// A store of that model, without a class for its objects.
final class Calendar: Sendable {
    let directory: TemporaryDirectory
    let container: PersistentContainer

    init(_ members: [String] = ["start", "end"]) throws {
        directory = try TemporaryDirectory("groups")
        container = PersistentContainer(
            model: try GroupModel.make(members), classes: [],
            url: URL(filePath: directory.file("calendar.anabranch")))
        try container.load()
    }

    var coordinator: PersistentStoreCoordinator { container.coordinator }

    func inContext<T>(_ body: (ManagedObjectContext) throws -> sending T) throws -> sending T {
        try container.newBackgroundContext().performAndWait(body)
    }

    /// Changes the only meeting, in a later millisecond than any change before, and saves.
    func edit(_ values: [String: PropertyValue]) throws {
        Thread.sleep(forTimeInterval: 0.002)
        try inContext { context throws in
            let meeting = try context.meeting()
            for (key, value) in values { try meeting.setValue(value, forKey: key) }
            try context.save()
        }
    }

    func time() throws -> [PropertyValue] {
        try inContext { context throws in try context.meeting().time }
    }
}

extension ManagedObjectContext {
    func meeting() throws -> ManagedObject {
        try fetch(FetchRequest<ManagedObject>(entityName: "Meeting"))[0]
    }
}

extension ManagedObject {
    var time: [PropertyValue] { [self["start"], self["end"]] }
}
