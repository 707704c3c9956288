/// A rule for unsaved changes of a context that conflict with an earlier save of another context
/// or replica.
///
/// A save compares the row version of every object that it writes with the version in the store.
/// It also compares every unique key with the keys in the store. A difference, or a key that is
/// taken, is a conflict, which the context's policy resolves one object at a time: first changed
/// rows, then unique keys. The save then writes everything again, in one transaction and as one
/// change set. A conflict that appears in the meantime is resolved too.
///
/// The standard policies are ``MergePolicy/error``, which is the default of a context,
/// ``MergePolicy/mergeByPropertyStoreTrump``, ``MergePolicy/mergeByPropertyObjectTrump``,
/// ``MergePolicy/overwrite`` and ``MergePolicy/rollback``. An app's own policy looks at each
/// conflict and chooses one of these resolutions, or sets values of its own:
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
/// A merge policy decides between a context and its store. Between replicas the `MergeRule` of
/// each property decides; for another replica, a save after a resolved conflict is like any other
/// save.
///
/// Under every policy, properties with a merge rule other than last-writer are merged by that
/// rule. A counter gets the sum of the context's and the store's additions. A property that keeps
/// the first, greatest or least write keeps that one. To-many relationships gain and lose the
/// members that were added and removed in the context. An attribute group counts as one value.
public protocol MergePolicy: Sendable {
    /// Resolves the conflict of an object that was changed or deleted in the store since it was
    /// read.
    ///
    /// It is called on the context's queue during the save. Changes that it makes in the context
    /// are ordinary unsaved changes; do not save here.
    ///
    /// - Parameters:
    ///   - conflict: The object and the values of both sides.
    ///   - context: The context that saves.
    /// - Returns: The resolution.
    /// - Throws: Any error. It ends the save, which throws it; nothing is written, and every
    ///   change is still pending.
    func resolve(
        _ conflict: MergeConflict, in context: ManagedObjectContext
    ) throws -> MergeResolution

    /// Resolves the conflict of objects that would have the same unique key; see
    /// ``resolve(_:in:)-(MergeConflict,_)``.
    func resolve(
        _ conflict: ConstraintConflict, in context: ManagedObjectContext
    ) throws -> MergeResolution
}

extension MergePolicy {
    /// Leaves the conflict unresolved, so that the save fails.
    public func resolve(
        _ conflict: ConstraintConflict, in context: ManagedObjectContext
    ) throws -> MergeResolution { .unresolved }
}

extension MergePolicy where Self == StandardMergePolicy {
    /// A policy that resolves nothing: the save throws ``SaveConflictError`` with every conflict
    /// and writes nothing.
    public static var error: StandardMergePolicy { StandardMergePolicy(.unresolved) }
    /// A policy that resolves every conflict by ``MergeResolution/mergeByPropertyStoreTrump``.
    public static var mergeByPropertyStoreTrump: StandardMergePolicy {
        StandardMergePolicy(.mergeByPropertyStoreTrump)
    }
    /// A policy that resolves every conflict by ``MergeResolution/mergeByPropertyObjectTrump``.
    public static var mergeByPropertyObjectTrump: StandardMergePolicy {
        StandardMergePolicy(.mergeByPropertyObjectTrump)
    }
    /// A policy that resolves every conflict by ``MergeResolution/overwrite``.
    public static var overwrite: StandardMergePolicy { StandardMergePolicy(.overwrite) }
    /// A policy that resolves every conflict by ``MergeResolution/rollback``.
    public static var rollback: StandardMergePolicy { StandardMergePolicy(.rollback) }
}

/// A policy that resolves all conflicts in the same way.
public struct StandardMergePolicy: MergePolicy, Equatable {
    let resolution: MergeResolution

    init(_ resolution: MergeResolution) { self.resolution = resolution }

    /// Returns the policy's resolution.
    public func resolve(
        _ conflict: MergeConflict, in context: ManagedObjectContext
    ) -> MergeResolution { resolution }

    /// Returns the policy's resolution.
    public func resolve(
        _ conflict: ConstraintConflict, in context: ManagedObjectContext
    ) -> MergeResolution { resolution }
}

extension StandardMergePolicy: CustomStringConvertible {
    /// The name of the policy.
    public var description: String {
        resolution == .unresolved ? "error" : resolution.description
    }
}

/// A policy that calls one or two closures:
/// `context.mergePolicy = MergeClosure { conflict, context in … }`.
public struct MergeClosure: MergePolicy {
    /// A closure that resolves a conflict of one kind.
    public typealias Body<Conflict> =
        @Sendable (Conflict, ManagedObjectContext) throws -> MergeResolution

    private let body: Body<MergeConflict>
    private let keyBody: Body<ConstraintConflict>

    /// Creates a policy from closures.
    ///
    /// - Parameters:
    ///   - body: Resolves objects that were changed or deleted in the store since they were read.
    ///   - constraints: Resolves unique keys. The default leaves them unresolved.
    public init(
        _ body: @escaping Body<MergeConflict>,
        constraints: @escaping Body<ConstraintConflict> = { _, _ in .unresolved }
    ) {
        self.body = body
        keyBody = constraints
    }

    /// Calls the closure for changed and deleted rows.
    public func resolve(
        _ conflict: MergeConflict, in context: ManagedObjectContext
    ) throws -> MergeResolution { try body(conflict, context) }

    /// Calls the closure for unique keys.
    public func resolve(
        _ conflict: ConstraintConflict, in context: ManagedObjectContext
    ) throws -> MergeResolution { try keyBody(conflict, context) }
}
