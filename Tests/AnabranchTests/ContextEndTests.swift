import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Anabranch

/// An object that lives in a context and records the queue on which it is deallocated.
private final class Witness: Sendable {
    enum End: Sendable { case none, mainQueue, elsewhere }

    let end: Ends

    init(_ end: Ends) { self.end = end }

    deinit { end.record(ContextQueue.main.isCurrent ? .mainQueue : .elsewhere) }

    final class Ends: Sendable {
        private let end = Mutex(End.none)

        func record(_ end: End) { self.end.withLock { $0 = end } }

        var present: End { end.withLock { $0 } }

        /// Waits until the context is deallocated.
        var noted: End {
            get async throws {
                for _ in 0..<3_000 where present == .none {
                    try await Task.sleep(for: .milliseconds(10))
                }
                return present
            }
        }
    }
}

/// Objects of the main queue may be in use while the last reference to their context is dropped.
@Suite struct `Ends of contexts` {
    private let directory: TemporaryDirectory
    private let ends = Witness.Ends()

    init() throws { directory = try TemporaryDirectory("ends") }

    private func container() async throws -> PersistentContainer {
        let container = try Graph.open(directory)
        await MainActor.run { [ends] in
            container.viewContext.userInfo["witness"] = Witness(ends)
        }
        return container
    }

    @Test func `a view context ends on the main queue wherever its container is released`()
        async throws
    {
        nonisolated(unsafe) var container: PersistentContainer? = try await container()
        DispatchQueue(label: "elsewhere").sync { container = nil }
        #expect(container == nil)
        #expect(try await ends.noted == .mainQueue)
    }

    @Test func `a view context ends on the main queue wherever the last context below it ends`()
        async throws
    {
        nonisolated(unsafe) var container: PersistentContainer? = try await container()
        nonisolated(unsafe) var child = await MainActor.run {
            container?.viewContext.newBackgroundContext()
        }
        try await child?.perform { context in _ = try context.person("Anna") }
        await MainActor.run { container = nil }
        #expect(child != nil)
        DispatchQueue(label: "elsewhere").sync { child = nil }
        #expect(try await ends.noted == .mainQueue)
    }

    @Test @MainActor func `a view context that is released on the main queue ends at once`()
        async throws
    {
        nonisolated(unsafe) var container: PersistentContainer? = try await container()
        #expect(ends.present == .none)
        container = nil
        #expect(container == nil && ends.present == .mainQueue)
    }

    /// Returns a changed and a new object of the current event, whose context was deallocated.
    @MainActor private static func orphans() throws -> [Person] {
        let folder = try TemporaryDirectory("orphans")
        let context = try Graph.open(folder).viewContext
        context.isObservable = false
        let anna = try context.person("Anna", age: 3)
        try withExtendedLifetime(folder) { try context.save() }
        anna.age = 4
        return [anna, try context.person("Berta", age: 4)]
    }

    @Test @MainActor func `a changed object without its context rejects values set by name`() throws
    {
        for orphan in try Self.orphans() {
            #expect(orphan.managedObjectContext == nil && orphan.age == 4)
            let error = #expect(throws: PropertyError.self) {
                try orphan.setValue(5, forKey: "age")
            }
            #expect(error?.code == .inaccessible && orphan.age == 4)
        }
    }

    @Test @MainActor func `setting a property of an object without its context changes nothing`()
        throws
    {
        for orphan in try Self.orphans() {
            orphan.age = 5
            #expect(orphan.age == 4)
        }
    }

    @Test func `the coordinator has the errors of objects whose context is gone`() async throws {
        let graph = try Graph()
        let coordinator = graph.container.coordinator
        let told = coordinator.accessErrors()
        nonisolated(unsafe) var orphans: [Person] = []
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 3)
            try context.save()
            orphans = [anna, try context.person("Berta", age: 3)]
        }
        for orphan in orphans {
            #expect(orphan.managedObjectContext == nil)
            orphan.age = 5
            #expect(orphan.age == 3)
            orphan["missing"] = 5
        }
        let pending = coordinator.pendingErrors.compactMap { $0 as? PropertyError }
        #expect(pending.count == 4 && pending[0].code == .inaccessible)
        #expect(pending[0].property == "age" && pending[0].objectID == orphans[0].objectID)
        var iterator = told.makeAsyncIterator()
        for error in pending {
            #expect((await iterator.next() as? PropertyError)?.message == error.message)
        }
        coordinator.clearPendingErrors()
        #expect(coordinator.pendingErrors.isEmpty)
        // They are errors of no save.
        try graph.inContext { context throws in
            try context.person("Clara")
            try context.save()
        }
    }
}
