public import AnabranchModel
import AnabranchStore
public import Foundation
import Synchronization

/// A store and its contexts.
///
/// ```swift
/// let container = PersistentContainer(model: model, classes: [Person.self], url: url)
/// try container.load()
/// let people = try await container.newBackgroundContext().perform { context in
///     try context.count(for: FetchRequest<Person>())
/// }
/// ```
///
/// Tests and previews give `storeDescription: .inMemory` in the place of the URL.
public final class PersistentContainer: Sendable {
    public let storeDescription: PersistentStoreDescription
    private let givenModel: ManagedObjectModel?
    private let classes: [ManagedObject.Type]
    private let loaded = Mutex<PersistentStoreCoordinator?>(nil)
    @MainActor private var mainContext: HeldContext?

    /// - Parameters:
    ///   - model: `nil` opens an existing file with the model that it was saved with.
    ///   - classes: The classes of the model's entities; an entity that has none has that of the
    ///     nearest super-entity, or plain managed objects.
    public init(
        model: ManagedObjectModel? = nil, classes: [ManagedObject.Type] = [],
        storeDescription: PersistentStoreDescription
    ) {
        givenModel = model
        self.classes = classes
        self.storeDescription = storeDescription
    }

    public convenience init(
        model: ManagedObjectModel? = nil, classes: [ManagedObject.Type] = [], url: URL
    ) {
        self.init(
            model: model, classes: classes,
            storeDescription: PersistentStoreDescription(url: url))
    }

    /// Opens the store, making the file where there is none. Once it is open, does nothing.
    ///
    /// - Throws: ``StoreError`` with the file as it was; ``PropertyError`` with code
    ///   `classMismatch` where a class does not fit the model.
    public func load() throws {
        let opened = try loaded.withLock { loaded -> PersistentStoreCoordinator? in
            guard loaded == nil else { return nil }
            loaded = try PersistentStoreCoordinator(
                opening: storeDescription, model: givenModel, classes: classes)
            return loaded
        }
        // Observers may want the container's contexts.
        opened?.announceStore()
    }

    /// Before ``load()`` has succeeded there is none, and asking for it is a programming error.
    public var coordinator: PersistentStoreCoordinator {
        guard let coordinator = loaded.withLock({ $0 }) else {
            preconditionFailure("Call load() on a container before its contexts are used.")
        }
        return coordinator
    }

    public var model: ManagedObjectModel { coordinator.model }

    /// The context for main-actor code, which uses it directly.
    ///
    /// Wherever it is let go of last, it ends on the main queue.
    @MainActor
    public var viewContext: ManagedObjectContext {
        if let mainContext { return mainContext.context }
        let context = ManagedObjectContext(coordinator: coordinator, queue: .main)
        mainContext = HeldContext(context)
        return context
    }

    /// A context with a queue of its own, straight on the store.
    public func newBackgroundContext() -> BackgroundContext {
        BackgroundContext(coordinator: coordinator)
    }

    /// Runs a body in a context that is made for it.
    public func performBackgroundTask<T>(
        _ body: sending @escaping (ManagedObjectContext) throws -> sending T
    ) async throws -> sending T {
        try await newBackgroundContext().perform(body)
    }
}
