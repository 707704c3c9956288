import Anabranch

extension Cookbook {
    /// Inserts an object and saves it.
    @MainActor
    static func createAndSave() throws {
        let context = try container().viewContext
        let ada = try context.insert(Employee.self)
        ada.name = "Ada"
        ada.age = 36
        print("inserted:", ada.isInserted, "changes:", context.hasChanges)
        try context.save()
        print("inserted:", ada.isInserted, "changes:", context.hasChanges)
    }
}
