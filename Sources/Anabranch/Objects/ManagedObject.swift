import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// An object of the graph: one record, in one context.
///
/// An entity without a class of its own has plain managed objects, whose properties are read and
/// written by name. A class has one form, written by hand, generated or made by ``Entity(_:)``:
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
/// An ordered to-many is a ``ManagedObjectList``, `self[list: 4]`; an attribute of whose values a
/// transformer makes bytes is `self[transformable: 1]`, of any optional type.
///
/// The slots are those of the super-entity, then the entity's own attributes, to-one and to-many
/// relationships, each sorted by the bytes of their names; the container compares the list with
/// the model. A class of a sub-entity inherits from its super-entity's class and appends its own
/// names to `super.slotNames`.
///
/// An object and its context are used on the context's queue only; the last reference may be
/// dropped anywhere.
open class ManagedObject {
    // The accessors below are the only code that touches the slots, and none of them calls out
    // while it does, so the run-time check of exclusive access could find nothing.
    @exclusivity(unchecked) @usableFromInline final var slots: SlotStorage
    @exclusivity(unchecked) @usableFromInline final var flags: ObjectFlags
    /// Bits of the slots written since the last save; slots from 63 on share one. What is not
    /// marked is as committed.
    @exclusivity(unchecked) @usableFromInline final var writtenSlots: UInt64 = 0
    final let home: EntityHome
    @exclusivity(unchecked) final var localID: LocalID
    /// The slots as the store has them, while they may differ from the present ones; else empty.
    @exclusivity(unchecked) final var committed = SlotStorage()
    /// Of the row that the slots came from.
    @exclusivity(unchecked) final var version: RowVersion
    /// Of the relationships that have no slot value.
    @exclusivity(unchecked) final var relations: RelationTable?

    /// Called by contexts only.
    public required init(_ birth: ObjectBirth) {
        slots = birth.slots()
        flags = birth.home.isObserved ? birth.flags.observed : birth.flags
        home = birth.home
        localID = birth.id
        version = birth.version
    }

    /// The entity whose objects the class stands for; empty where it stands for none.
    open class var entityName: String { "" }
    /// The names of all slots of the entity, inherited ones first.
    open class var slotNames: [String] { [] }

    /// The object is new, with its defaults; called once.
    open func awakeFromInsert() {}
    /// The object was a fault and now has the values of the store.
    ///
    /// Attributes of the object that are set here, such as transient ones, do not make it changed
    /// (``setPrimitiveValue(_:forKey:)-(Value,_)``); relationships do.
    open func awakeFromFetch() {}
    /// The object has other values than before, though nobody has set them: by an undo or a redo,
    /// a rollback, or a refresh that has read newer ones. Attributes may be set here as in
    /// ``awakeFromFetch()``.
    ///
    /// - Parameter events: Why.
    open func awake(fromSnapshotEvents events: SnapshotEventType) {}
    /// The object is about to be deleted; its relationships are still there. Called anew each
    /// time that a deletion is asked for.
    open func prepareForDeletion() {}
    /// The context is about to save the object. What is changed here is saved too, and has this
    /// called once more.
    open func willSave() {}
    /// Checks an inserted object before it is saved; called by the save after every `willSave`.
    ///
    /// This implementation checks every property by the model, and by
    /// ``ValueChecking/checkValue(_:forKey:)`` where the class has one. An override calls it
    /// first, and throws whatever it finds beside: a ``ValidationError``, or an error of the app,
    /// which becomes one with the object. The save reports what the model finds even where an
    /// override swallows it. What an override changes is validated again.
    ///
    /// - Throws: ``ValidationError`` with everything that is wrong; ``StoreError`` where a
    ///   relationship can't be read; ``PropertyError`` where the object has lost its context.
    open func validateForInsert() throws { try checkByModel(.insert) }
    /// As ``validateForInsert()``, of an updated object: of what was set since the last save, of
    /// relationships that have changed or may have lost objects, and of mandatory properties.
    open func validateForUpdate() throws { try checkByModel(.update) }
    /// As ``validateForInsert()``, of an object that is to be deleted: no relationship that denies
    /// it leads to an object that is not deleted, too.
    open func validateForDelete() throws { try checkByModel(.delete) }
    /// The context has saved the object.
    open func didSave() {}
    open func willTurnIntoFault() {}
    open func didTurnIntoFault() {}
}

@available(*, unavailable)
extension ManagedObject: Sendable {}

/// What an object is made from; only contexts make one, for one call of
/// ``ManagedObject/init(_:)``.
///
/// It may refer to the row that is being read: an initializer of the app's own passes it on to its
/// superclass, and neither keeps it nor makes another object from it. Read after the initializer
/// has returned, it is memory that was freed.
public struct ObjectBirth {
    /// Where its values come from.
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
    /// An object is equal to itself only; a context has one object for a record.
    public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ManagedObject: CustomStringConvertible {
    public var description: String {
        "<\(objectID)\(isFault ? ", fault" : "")\(isDeleted ? ", deleted" : "")>"
    }
}
