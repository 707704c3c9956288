import Anabranch
import Foundation

/// Keeps a list on a screen up to date; here the screen is the standard output.
@MainActor
private final class ListView: @MainActor FetchedResultsControllerDelegate {
    func controller(
        _ controller: FetchedResultsController<Employee>, didChange object: Employee,
        at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        switch type {
        case .insert: print("insert \(object.name ?? "") at \(newIndexPath?.item ?? -1)")
        case .delete: print("delete from \(indexPath?.item ?? -1)")
        case .move: print("move \(indexPath?.item ?? -1) to \(newIndexPath?.item ?? -1)")
        case .update: print("update \(indexPath?.item ?? -1)")
        }
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Employee>) {
        print("now:", controller.fetchedObjects?.compactMap(\.name).joined(separator: ", ") ?? "")
    }
}

extension Cookbook {
    /// Shows a list that follows the inserts and deletes of another context.
    @MainActor
    static func followAList() async throws {
        let container = try container()
        try await container.performBackgroundTask { context in
            for name in ["Ada", "Cleo"] { try context.insert(Employee.self).name = name }
            try context.save()
        }

        let context = container.viewContext
        context.automaticallyMergesChangesFromParent = true
        var request = FetchRequest<Employee>()
        request.sorts = [FetchSort("name")]
        let controller = FetchedResultsController(fetchRequest: request, context: context)
        let view = ListView()
        controller.delegate = view
        try controller.performFetch()
        var changes = controller.changes().makeAsyncIterator()

        try await container.performBackgroundTask { context in
            try context.insert(Employee.self).name = "Bob"
            try context.save()
        }
        _ = await changes.next()
        try await container.performBackgroundTask { context in
            let request = try FetchRequest<Employee>(where: \.name == "Ada")
            try context.fetch(request).forEach(context.delete)
            try context.save()
        }
        _ = await changes.next()
        withExtendedLifetime(view) {}
    }
}
