import Anabranch

extension Cookbook {
    /// Fetches IDs in the background and creates the objects in the main context.
    ///
    /// IDs may be passed between contexts, objects may not.
    @MainActor
    static func fetchInTheBackground() async throws {
        let container = try container()
        try await container.performBackgroundTask { context in
            for number in 1...100 {
                let employee = try context.insert(Employee.self)
                employee.name = "Employee \(number)"
                employee.age = Int64(number)
            }
            try context.save()
        }

        let ids = try await container.performBackgroundTask { context in
            var request = FetchRequest<Employee>()
            request.predicate = try FetchPredicate("age BETWEEN {98, 100}")
            request.sorts = [FetchSort("age")]
            return try context.objectIDs(for: request)
        }
        let context = container.viewContext
        let employees = ids.compactMap { context.object(with: $0, as: Employee.self) }
        print("faults:", employees.allSatisfy(\.isFault))
        print(employees.compactMap(\.name).joined(separator: ", "))
    }
}
