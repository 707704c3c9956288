import Anabranch

extension Cookbook {
    /// Finds objects by a predicate and by an ID, and counts them without creating objects.
    @MainActor
    static func read() throws {
        let context = try container().viewContext
        for (name, age) in [("Ada", 36), ("Bob", 52), ("Cleo", 19)] {
            let employee = try context.insert(Employee.self)
            employee.name = name
            employee.age = Int64(age)
        }
        try context.save()

        var request = FetchRequest<Employee>()
        request.predicate = try FetchPredicate("age > %d", 30)
        request.sorts = [FetchSort("name")]
        let found = try context.fetch(request)
        print(found.compactMap(\.name).joined(separator: ", "))
        print("count:", try context.count(for: request))
        guard let first = found.first else { return }
        print("the same object:", try context.existingObject(with: first.objectID) === first)
    }
}
