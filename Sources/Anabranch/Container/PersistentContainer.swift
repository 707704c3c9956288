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
/// Tests and previews can pass `storeDescription: .inMemory` instead of the URL.
public final class PersistentContainer: Sendable {
    /// The store that the container opens, and its options.
    public let storeDescription: PersistentStoreDescription
    private let givenModel: ManagedObjectModel?
    private let classes: [ManagedObject.Type]
    private let loaded = Mutex<PersistentStoreCoordinator?>(nil)
    @MainActor private var mainContext: HeldContext?

    /// Creates a container. ``load()`` opens its store.
    ///
    /// - Parameters:
    ///   - model: The model; `nil` opens an existing file with the model that it was saved with.
    ///   - classes: The classes of the model's entities. An entity without a class uses the class
    ///     of the nearest super-entity that has one, or ``ManagedObject``.
    ///   - storeDescription: The store and its options.
    public init(
        model: ManagedObjectModel? = nil, classes: [ManagedObject.Type] = [],
        storeDescription: PersistentStoreDescription
    ) {
        givenModel = model
        self.classes = classes
        self.storeDescription = storeDescription
    }

    /// Creates a container for a store file.
    ///
    /// - Parameters:
    ///   - model: The model; `nil` opens an existing file with the model that it was saved with.
    ///   - classes: The classes of the model's entities.
    ///   - url: The store file, which need not exist.
    public convenience init(
        model: ManagedObjectModel? = nil, classes: [ManagedObject.Type] = [], url: URL
    ) {
        self.init(
            model: model, classes: classes,
            storeDescription: PersistentStoreDescription(url: url))
    }

    /// Creates a container with a model that is made from classes with `@Entity`.
    ///
    /// ```swift
    /// let container = try PersistentContainer(for: Folder.self, Note.self, url: url)
    /// ```
    ///
    /// - Parameters:
    ///   - first: The class of an entity.
    ///   - others: The classes of all other entities.
    ///   - url: The store file, which need not exist.
    /// - Throws: ``ModelError`` with every problem of the classes in `all`.
    public convenience init(
        for first: ManagedObject.Type, _ others: ManagedObject.Type..., url: URL
    ) throws(ModelError) {
        let classes = [first] + others
        self.init(model: try ManagedObjectModel(classes: classes), classes: classes, url: url)
    }

    /// Opens the store and creates the file if it does not exist. If the store is open, it does
    /// nothing.
    ///
    /// - Throws: `StoreError`, with the file unchanged or as the last complete step of a staged
    ///   migration has left it; ``PropertyError`` with code `classMismatch` if a class does not fit
    ///   the model.
    public func load() throws {
        let opened = try loaded.withLock { loaded -> PersistentStoreCoordinator? in
            guard loaded == nil else { return nil }
            loaded = try PersistentStoreCoordinator(
                opening: storeDescription, model: givenModel, classes: classes)
            return loaded
        }
        // Observers may use the container's contexts, so the lock is released first.
        opened?.announceStore()
    }

    /// The coordinator of the store. It exists after ``load()`` has succeeded; before that,
    /// reading it is a programming error that stops the program.
    public var coordinator: PersistentStoreCoordinator {
        guard let coordinator = loaded.withLock({ $0 }) else {
            preconditionFailure("Call load() on a container before its contexts are used.")
        }
        return coordinator
    }

    /// The model of the open store.
    public var model: ManagedObjectModel { coordinator.model }

    /// The context for code on the main actor, which uses it directly.
    ///
    /// It merges the changes of other contexts and replicas by itself
    /// (``ManagedObjectContext/automaticallyMergesChangesFromParent``), until the app sets that to
    /// false. It is deallocated on the main queue, wherever its last reference is released.
    @MainActor
    public var viewContext: ManagedObjectContext {
        if let mainContext { return mainContext.context }
        let context = ManagedObjectContext(coordinator: coordinator, queue: .main)
        context.automaticallyMergesChangesFromParent = true
        mainContext = HeldContext(context)
        return context
    }

    /// Creates a context that reads from and saves to the store on its own private queue.
    public func newBackgroundContext() -> BackgroundContext {
        BackgroundContext(coordinator: coordinator)
    }

    /// Runs a closure in a new background context.
    ///
    /// - Parameter body: The closure, which runs on the context's queue.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure.
    public func performBackgroundTask<T>(
        _ body: sending @escaping (ManagedObjectContext) throws -> sending T
    ) async throws -> sending T {
        try await newBackgroundContext().perform(body)
    }

    /// Runs a closure, or a function by its name, in a new background context.
    ///
    /// A function has no `sending` result, so this form takes those with a `Sendable` result.
    ///
    /// - Parameter body: The closure or the function, which runs on the context's queue.
    /// - Returns: Its result.
    /// - Throws: Its error.
    public func performBackgroundTask<T: Sendable>(
        _ body: sending @escaping (ManagedObjectContext) throws -> T
    ) async throws -> T {
        try await newBackgroundContext().perform(body)
    }
}
