import Anabranch

extension Cookbook {
    /// Sets a one-to-many relationship (boss and reports) and a many-to-many (projects and
    /// members).
    ///
    /// Setting one side also sets the other side.
    @MainActor
    static func staffAndProjects() throws {
        let context = try container().viewContext
        func employee(_ name: String) throws -> Employee {
            let employee = try context.insert(Employee.self)
            employee.name = name
            return employee
        }
        let (ada, bob, cleo) = try (employee("Ada"), employee("Bob"), employee("Cleo"))
        bob.boss = ada
        ada.reports.insert(cleo)
        for title in ["Engine", "Loom"] {
            let project = try context.insert(Project.self)
            project.title = title
            project.members.formUnion([ada, title == "Loom" ? bob : cleo])
        }
        try context.save()

        func names(_ objects: some Sequence<Employee>) -> String {
            objects.compactMap(\.name).sorted().joined(separator: ", ")
        }
        print("Ada's reports:", names(ada.reports))
        print("Cleo's boss:", cleo.boss?.name ?? "")
        print("Ada's projects:", ada.projects.compactMap(\.title).sorted().joined(separator: ", "))
        cleo.boss = bob
        print("Ada's reports:", names(ada.reports), "- Bob's:", names(bob.reports))
    }
}
