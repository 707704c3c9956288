// Core Data's and SwiftData's stores become stores of Anabranch.
//
// A conversion reads the source with SQLite alone, in these steps:
//
//   1. `CoreDataFile` opens the file without changing it, and reads its bookkeeping tables.
//   2. `CachedModel` reads the model that the file keeps, or a model is given.
//   3. `SourceLayout` finds the table and the columns of every property by the names and numbers
//      that Core Data gives them.
//   4. `SourceRows` reads which rows there are, so that every reference can be checked.
//   5. `SourceHistory` reads the persistent history, if there is one: which transaction inserted
//      each object, and which one changed it last.
//   6. `ConvertedPieces`, or `HistorySaves` with a history, reads values, references, lists and
//      links, and checks each of them. What cannot be kept as it is becomes a `ConversionDoubt`.
//   7. `StoreConversion` saves all of it in a new file, as one change set, or as one for each
//      transaction of the history. The file gets its name when it is complete.
//
// The result depends on the source alone. The replica is named after the source's UUID, a record
// after its entity's table and primary key. The change set of what has no transaction has a fixed
// time, the others have those of their transactions. Two conversions of one source are therefore
// the same saves.
