import Anabranch

extension Cookbook {
    /// Deletes an object: the call marks it as deleted, and the save removes it.
    @MainActor
    static func delete() throws {
        let context = try container().viewContext
        let ada = try context.insert(Employee.self)
        ada.name = "Ada"
        try context.save()

        context.delete(ada)
        print("deleted:", ada.isDeleted, "left:", try context.count(for: FetchRequest<Employee>()))
        try context.save()
        print(
            "deleted:", ada.isDeleted, "context:", ada.managedObjectContext == nil ? "none" : "one")
    }
}
