// The object graph: contexts of managed objects over one store.
//
// A `PersistentContainer` opens a store and creates contexts. A context has one object per record,
// which its `IdentityMap` finds by the record's 64-bit local ID. An object keeps a copy of its row
// as an array of `PropertyValue`, into which the store decodes the columns directly. Reading an
// attribute is one flag test, one array access and one enum case.
//
// The first change of an object in an event goes through `ManagedObjectContext.recordWrite(_:)`. It
// copies the saved values (`committed`) and adds the object to the list of changed objects; the
// context holds strong references to these objects only. A save compares both sets of values,
// groups the differences by entity and by changed slots, and passes them to the store as one
// request.
//
// The store keeps one side of each pair of inverse relationships. Objects keep the other side as a
// `RelationState`: the members, if they have been read, and the members added and removed since. A
// change updates both sides in one step. It reads nothing from the store unless one side depends
// on the stored members.
//
// A save validates every changed object before it writes anything. `EntityChecks` holds what the
// model demands of an entity, computed once, and an `ObjectCheck` compares one object with it. The
// save also calls the validation hooks that a class overrides, and `ValueChecking` for the classes
// that conform to it.
//
// After each event a context reports the touched records to its `ContextObserver`s, and also the
// records that other contexts or replicas changed. A `FetchedResultsController` evaluates these
// records again and no others. It finds their former places by the sort keys that it kept.
//
// A context with an `UndoStack` records the state of the objects at the beginning of an event
// (`ChangeRecorder`). When the event ends, the differences become an `UndoStep`. Undoing a step is
// an event like any other; the step that this event creates is the redo. A step looks only at the
// objects that it changed.
//
// A context and its objects are confined to the context's queue. `ManagedObjectID` and
// `ObjectIDChanges` are the values that cross between the contexts of one coordinator.

@_exported public import AnabranchModel
@_exported public import AnabranchReplication
@_exported public import AnabranchStore
