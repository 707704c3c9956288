import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// An object of the graph: one record in one context.
///
/// An entity without its own class uses plain managed objects; their properties are read and
/// written by name. A class always has the same form, whether it is written by hand, generated, or
/// made by the macro `@Entity`:
///
/// ```swift
/// final class Person: ManagedObject {
///     override class var entityName: String { "Person" }
///     override class var slotNames: [String] { ["age", "name", "boss", "reports"] }
///     var age: Int64 { get { self[slot: 0] } set { self[slot: 0] = newValue } }
///     var name: String? { get { self[slot: 1] } set { self[slot: 1] = newValue } }
///     var boss: Person? { get { self[toOne: 2] } set { self[toOne: 2] = newValue } }
///     var reports: ManagedObjectSet<Person> { self[toMany: 3] }
/// }
/// ```
///
/// An ordered to-many relationship is a ``ManagedObjectList``, `self[list: 4]`. A transformable
/// attribute is `self[transformable: 1]`, with any optional type.
///
/// The slots of the super-entity come first, then the entity's own attributes, to-one
/// relationships and to-many relationships, each group sorted by the bytes of their names. The
/// container compares the list with the model. The class of a sub-entity inherits from the class
/// of its super-entity and appends its own names to `super.slotNames`.
///
/// Use an object and its context on the context's queue only. The last reference can be released
/// on any thread.
open class ManagedObject {
    // The accessors are the only code that touches the slots, and none of them calls out while it
    // does. The run-time check of exclusive access could find nothing here.
    @exclusivity(unchecked) @usableFromInline final var slots: SlotStorage
    @exclusivity(unchecked) @usableFromInline final var flags: ObjectFlags
    /// One bit for each slot that was written since the last save; the slots from 63 on share one
    /// bit. A slot without its bit has its committed value.
    @exclusivity(unchecked) @usableFromInline final var writtenSlots: UInt64 = 0
    final let home: EntityHome
    @exclusivity(unchecked) final var localID: LocalID
    /// The slot values that the store has, while they can differ from the present ones; otherwise
    /// empty.
    @exclusivity(unchecked) final var committed = SlotStorage()
    /// The version of the row from which the slot values were read.
    @exclusivity(unchecked) final var version: RowVersion
    /// The states of the relationships that have no slot value; `nil` if none was read or changed.
    @exclusivity(unchecked) final var relations: RelationTable?

    /// Creates the object from what its context passes. Only contexts call it.
    public required init(_ birth: ObjectInitialization) {
        slots = birth.slots()
        flags = birth.home.isObserved ? birth.flags.observed : birth.flags
        home = birth.home
        localID = birth.id
        version = birth.version
    }

    /// The name of the entity that the class represents; empty if it represents none.
    open class var entityName: String { "" }
    /// The names of all slots of the entity, inherited ones first.
    open class var slotNames: [String] { [] }

    /// The entity as the class declares it, for a model that is made from classes; `nil` if only a
    /// model in Swift or a model file describes it. The macro `@Entity` generates it.
    open class var entityDeclaration: ClassDeclaration? { nil }

    /// Called once, after the object was inserted and has its default values.
    open func awakeFromInsert() {}
    /// Called after a fault got its values from the store.
    ///
    /// An attribute of the object that is set here, such as a transient one, does not mark the
    /// object as changed (see ``setPrimitiveValue(_:forKey:)-(PropertyValue,_)``). A relationship
    /// that is set here does.
    open func awakeFromFetch() {}
    /// Called after the object got other values without a setter: by an undo or redo, a rollback,
    /// a merge policy, or a refresh that read newer values. Attributes can be set here as in
    /// ``awakeFromFetch()``.
    ///
    /// - Parameter events: The reasons for the new values.
    open func awake(fromSnapshotEvents events: SnapshotEventType) {}
    /// Called before the object is marked as deleted, while its relationships are intact. It is
    /// called again each time a deletion is requested.
    open func prepareForDeletion() {}
    /// Called before the context saves the object. Changes made here are saved too; an object that
    /// is changed here gets another call.
    open func willSave() {}
    /// Checks an inserted object before it is saved. The save calls it after all `willSave` hooks.
    ///
    /// This implementation checks every property by the model, and by
    /// ``ValueChecking/checkValue(_:forKey:)`` if the class has it. An override calls `super`
    /// first and then throws its own findings: a ``ValidationError``, or an error of the app,
    /// which is wrapped in one with the object. The save reports the model's findings even if an
    /// override catches them. An object that an override changes is validated again.
    ///
    /// - Throws: ``ValidationError`` with everything that is wrong; `StoreError` if a relationship
    ///   can't be read; ``PropertyError`` if the object has lost its context.
    open func validateForInsert() throws { try checkByModel(.insert) }
    /// Checks an updated object before it is saved, like ``validateForInsert()``. It checks the
    /// properties that were set since the last save, the relationships that have changed or may
    /// have lost objects, and the mandatory properties.
    open func validateForUpdate() throws { try checkByModel(.update) }
    /// Checks a deleted object before its deletion is saved, like ``validateForInsert()``. A
    /// relationship with the delete rule deny must not point to an object that is not being
    /// deleted.
    open func validateForDelete() throws { try checkByModel(.delete) }
    /// Called after the context has saved the object.
    open func didSave() {}
    /// Called before the object turns into a fault, while it still has its values.
    open func willTurnIntoFault() {}
    /// Called after the object turned into a fault.
    open func didTurnIntoFault() {}
}

@available(*, unavailable)
extension ManagedObject: Sendable {}

/// The values from which a context creates an object, for one call of ``ManagedObject/init(_:)``.
///
/// It can refer to the row that is being read. An initializer in a subclass passes it on to its
/// superclass; it must not keep it or create another object from it. After the initializer has
/// returned, it refers to freed memory.
public struct ObjectInitialization {
    /// The source of the object's values.
    enum Values {
        case none
        case defaults
        case row(ObjectRow)
    }

    let home: EntityHome
    let id: LocalID
    var values: Values = .none
    var flags: ObjectFlags = []
    var version = RowVersion.none

    func slots() -> SlotStorage {
        switch values {
        case .none: SlotStorage()
        case .defaults: SlotStorage(copying: home.plan.defaults)
        case .row(let row): SlotStorage(row)
        }
    }
}

extension ManagedObject: Hashable {
    /// Returns true if both are the same object. A context has one object for each record.
    public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }
    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ManagedObject: CustomStringConvertible {
    /// The object's ID and its state.
    public var description: String {
        "<\(objectID)\(isFault ? ", fault" : "")\(isDeleted ? ", deleted" : "")>"
    }
}
