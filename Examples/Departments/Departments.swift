import Anabranch
import Foundation

@Entity
nonisolated class Person: ManagedObject {
    var name: String?
    @Relationship(inverse: \Person.likedBy) var likes: ManagedObjectSet<Person>
    var likedBy: ManagedObjectSet<Person>

    /// A computed property, which is not a property of the entity.
    var title: String { name ?? "somebody" }
}

@Entity
nonisolated final class Employee: Person {
    var badge: String?
    @Attribute var role: Role?
    @Relationship(inverse: \Department.staff) var department: Department?

    override var title: String { "\(super.title) (\(badge ?? "no badge"))" }
}

@Entity
nonisolated final class Department: ManagedObject {
    var name: String?
    var staff: ManagedObjectSet<Employee>

    var head: Employee? { staff.first { $0.role == .head } }
}

/// An attribute of an own type, stored as its raw value.
enum Role: Int16, AttributeEnum {
    case member = 0
    case head = 1
}

/// Entity classes written with `@Entity`, which are the whole model.
@main
enum Departments {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "departments-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let container = try PersistentContainer(
            for: Person.self, Employee.self, Department.self,
            url: folder.appending(path: "departments.store"))
        try container.load()
        try await container.performBackgroundTask { try fill($0) }
        try await container.performBackgroundTask { try show($0) }
    }

    private nonisolated static func fill(_ context: ManagedObjectContext) throws {
        let names = ["Research": ["Ada", "Bob", "Cleo"], "Sales": ["Dan"]]
        for (name, staff) in names {
            let department = try context.insert(Department.self)
            department.name = name
            for name in staff {
                let employee = try context.insert(Employee.self)
                employee.name = name
                employee.role = name == "Ada" ? .head : .member
                department.staff.insert(employee)
            }
            guard let head = department.head else { continue }
            head.badge = "A-1"
            head.likes.formUnion(department.staff.filter { $0.name == "Bob" })
        }
        try context.save()
    }

    private nonisolated static func show(_ context: ManagedObjectContext) throws {
        let departments = try context.fetch(FetchRequest<Department>())
        for department in departments.sorted(by: { $0.name ?? "" < $1.name ?? "" }) {
            let staff = department.staff.compactMap(\.name).sorted().joined(separator: ", ")
            let head = department.head.map { ", led by \($0.name ?? "")" } ?? ""
            print("\(department.name ?? "")\(head): \(staff)")
            for employee in department.staff {
                for friend in employee.likes {
                    print("\(employee.title) likes \(friend.name ?? "")")
                }
            }
        }
    }
}
