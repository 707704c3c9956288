import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import Anabranch

/// Lives in a context, and notes on which queue that ends.
private final class Witness: Sendable {
    enum End: Sendable { case none, mainQueue, elsewhere }

    let end: Ends

    init(_ end: Ends) { self.end = end }

    deinit { end.note(ContextQueue.main.isCurrent ? .mainQueue : .elsewhere) }

    final class Ends: Sendable {
        private let end = Mutex(End.none)

        func note(_ end: End) { self.end.withLock { $0 = end } }

        var present: End { end.withLock { $0 } }

        /// Waits for the context to end.
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

    @Test func `a view context ends on the main queue wherever its container is let go of`()
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

    @Test @MainActor func `a view context that is let go of on the main queue ends at once`()
        async throws
    {
        nonisolated(unsafe) var container: PersistentContainer? = try await container()
        #expect(ends.present == .none)
        container = nil
        #expect(container == nil && ends.present == .mainQueue)
    }
}
