// The object graph: contexts of managed objects over one store.
//
// A `PersistentContainer` opens a store and gives contexts. A context has one object per record,
// found by the record's 64-bit local ID in an `IdentityMap`. An object keeps its row as
// `Value`s in memory of its own, which the store decodes into; reading an attribute is one flag
// test, one access by index and one enum case.
//
// What changes an object goes through `ManagedObjectContext.noteWrite(_:)`, once per event: it
// keeps a copy of the values as they were (`committed`) and puts the object on
// the list of changed ones, which is what the context holds strongly. Saving compares the
// two, groups what differs by entity and slots, and hands it to the store as one request.
//
// Of two inverses the store keeps one; objects keep the other as a `RelationState`: who is at
// the other end, once someone has asked, and what was added and removed since. Both sides change
// in one step, without reading the store where they need not know each other.
//
// Before anything is written every changed object is validated: `EntityChecks` has what the model
// demands, put together once for each entity, and an `ObjectCheck` compares an object with it.
// Hooks that a class overrides are asked, too, and for single values the classes that say so by
// `ValueChecking`.
//
// A context tells its `ResultsFollower`s what each event has touched, and which records others
// have changed. A `FetchedResultsController` judges those records again, and no others: their
// old places are found by the keys that they were sorted by then.
//
// A context with an `UndoStack` keeps what the objects of an event were like at its beginning
// (`ChangeRecorder`); when the event ends, what differs is an `UndoStep`. Taking a step back is an
// event like any other, whose own step is the redo. No step looks at objects that it did not touch.
//
// Every use of a context and its objects is confined to the context's queue. What crosses is
// `ManagedObjectID`, and `ObjectIDChanges` between the contexts of one coordinator.

@_exported public import AnabranchModel
@_exported public import AnabranchReplication
@_exported public import AnabranchStore
