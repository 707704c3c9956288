import Anabranch
import Foundation

extension Cookbook {
    /// Counts by month with one statement, and shows the same months as sections of a list.
    @MainActor
    static func reportByMonth() throws {
        guard let zone = TimeZone(identifier: "Europe/Zurich") else { return }
        let context = try container().viewContext
        for (name, time) in [
            ("Ada", "2026-01-31T23:30:00Z"), ("Bob", "2026-02-03T08:00:00Z"),
            ("Cleo", "2026-03-01T08:00:00Z"),
        ] {
            let employee = try context.insert(Employee.self)
            employee.name = name
            employee.hired = try Date(time, strategy: .iso8601)
        }
        try context.save()

        // SQLite groups the rows. No objects are made.
        var report = try RowRequest<Employee>([
            .value((\Employee.hired).year(in: zone), as: "year"),
            .value((\Employee.hired).month(in: zone), as: "month"), .count(),
        ])
        report.propertiesToGroupBy = ["year", "month"]
        report.sorts = [FetchSort("year"), FetchSort("month")]
        for row in try context.fetch(report) {
            let (year, month): (Int64?, Int64?) = (row["year"], row["month"])
            let count: Int64? = row["count"]
            print("\(year ?? 0)-\(month ?? 0): \(count ?? 0)")
        }

        // The first sort keeps the objects of a section together.
        let format = Date.ISO8601FormatStyle(timeZone: zone).year().month()
        let controller = FetchedResultsController(
            fetchRequest: try FetchRequest<Employee>(sortedBy: \.hired), context: context,
            sectionName: { $0.hired?.formatted(format) })
        try controller.performFetch()
        for section in controller.sections ?? [] {
            print(section.name, section.objects.compactMap(\.name).joined(separator: ", "))
        }
    }
}
