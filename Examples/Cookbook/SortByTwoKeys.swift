import Anabranch

extension Cookbook {
    /// Sorts by age, the oldest first, and employees of the same age by name.
    @MainActor
    static func sortByTwoKeys() throws {
        let context = try container().viewContext
        for (name, age) in [("Cleo", 36), ("bob", 52), ("Ada", 36)] {
            let employee = try context.insert(Employee.self)
            employee.name = name
            employee.age = Int64(age)
        }
        try context.save()

        let request = try FetchRequest<Employee>(
            sortedBy: .reverse(\.age), .forward(\.name, .caseInsensitive))
        for employee in try context.fetch(request) { print(employee.age, employee.name ?? "") }
    }
}
