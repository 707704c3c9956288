/// What becomes of a context's unsaved changes where others have saved first.
///
/// A save compares every object that it writes with the version of the row that the object was read
/// from, and every unique key with those that the store holds. What others have changed since, and
/// what they hold, is a conflict, and the context's policy settles it: one object at a time, the
/// lost reads first, then the keys. The save then writes everything anew, in one transaction and as
/// one change set. A conflict that appears meanwhile is settled as well.
///
/// The standard ones are ``MergePolicy/error``, which a context has unless it is given another one,
/// ``MergePolicy/mergeByPropertyStoreTrump``, ``MergePolicy/mergeByPropertyObjectTrump``,
/// ``MergePolicy/overwrite`` and ``MergePolicy/rollback``. An app's own type looks at each conflict
/// and says which of these it goes by, or sets values of its own:
///
/// ```swift
/// struct LongerNote: MergePolicy {
///     func resolve(_ conflict: MergeConflict, in context: ManagedObjectContext)
///         -> MergeResolution
///     {
///         guard let stored = conflict.persistedSnapshot else { return .rollback }
///         let longer = max(length(of: stored), length(of: conflict.values))
///         return .mergeByPropertyObjectTrump.setting(["note": longer])
///     }
/// }
/// ```
///
/// A policy decides between a context and its store; between replicas the ``MergeRule`` of each
/// property does, and a save that went by a policy is to other replicas a save like any other.
///
/// Whatever the policy, what the model calls mergeable is merged: a counter gets what was added to
/// it here on top of what others added, a property whose first, greatest or least write stays keeps
/// that, and relationships to many lose and gain the members that they lost and gained here.
/// Attributes of one group are one value.
public protocol MergePolicy: Sendable {
    /// Settles an object whose row was changed or deleted since it was read.
    ///
    /// Called on the context's queue, within the save. What it changes in the context itself is an
    /// unsaved change as any other; do not save here.
    ///
    /// - Throws: Anything: it ends the save, which throws it. Nothing is written then, and every
    ///   change is pending as before.
    func resolve(
        _ conflict: MergeConflict, in context: ManagedObjectContext
    ) throws -> MergeResolution

    /// Settles objects that would hold one unique key. As ``resolve(_:in:)-(MergeConflict,_)``.
    func resolve(
        _ conflict: ConstraintConflict, in context: ManagedObjectContext
    ) throws -> MergeResolution
}

extension MergePolicy {
    /// Leaves the conflict, so that the save fails.
    public func resolve(
        _ conflict: ConstraintConflict, in context: ManagedObjectContext
    ) throws -> MergeResolution { .unresolved }
}

extension MergePolicy where Self == StandardMergePolicy {
    /// The save throws ``SaveConflictError`` with every conflict, and writes nothing.
    public static var error: StandardMergePolicy { StandardMergePolicy(.unresolved) }
    /// ``MergeResolution/mergeByPropertyStoreTrump`` for every conflict.
    public static var mergeByPropertyStoreTrump: StandardMergePolicy {
        StandardMergePolicy(.mergeByPropertyStoreTrump)
    }
    /// ``MergeResolution/mergeByPropertyObjectTrump`` for every conflict.
    public static var mergeByPropertyObjectTrump: StandardMergePolicy {
        StandardMergePolicy(.mergeByPropertyObjectTrump)
    }
    /// ``MergeResolution/overwrite`` for every conflict.
    public static var overwrite: StandardMergePolicy { StandardMergePolicy(.overwrite) }
    /// ``MergeResolution/rollback`` for every conflict.
    public static var rollback: StandardMergePolicy { StandardMergePolicy(.rollback) }
}

/// A policy that settles all conflicts alike.
public struct StandardMergePolicy: MergePolicy, Equatable {
    let resolution: MergeResolution

    init(_ resolution: MergeResolution) { self.resolution = resolution }

    public func resolve(
        _ conflict: MergeConflict, in context: ManagedObjectContext
    ) -> MergeResolution { resolution }

    public func resolve(
        _ conflict: ConstraintConflict, in context: ManagedObjectContext
    ) -> MergeResolution { resolution }
}

extension StandardMergePolicy: CustomStringConvertible {
    public var description: String {
        resolution == .unresolved ? "error" : resolution.description
    }
}

/// A policy that is one closure, or two:
/// `context.mergePolicy = MergeClosure { conflict, context in … }`.
public struct MergeClosure: MergePolicy {
    public typealias Body<Conflict> =
        @Sendable (Conflict, ManagedObjectContext) throws -> MergeResolution

    private let body: Body<MergeConflict>
    private let keyBody: Body<ConstraintConflict>

    /// - Parameters:
    ///   - body: For objects that were changed or deleted elsewhere.
    ///   - constraints: For unique keys; they stay a conflict unless it is given.
    public init(
        _ body: @escaping Body<MergeConflict>,
        constraints: @escaping Body<ConstraintConflict> = { _, _ in .unresolved }
    ) {
        self.body = body
        keyBody = constraints
    }

    public func resolve(
        _ conflict: MergeConflict, in context: ManagedObjectContext
    ) throws -> MergeResolution { try body(conflict, context) }

    public func resolve(
        _ conflict: ConstraintConflict, in context: ManagedObjectContext
    ) throws -> MergeResolution { try keyBody(conflict, context) }
}
