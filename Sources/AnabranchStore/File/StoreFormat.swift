import AnabranchSQLite

/// The store file: tables that any SQLite tool can read, and one log of every save.
///
/// A store is one SQLite database in WAL mode, written by one connection and read by a pool. Every
/// root entity has a table; a record's row ID is its identity on this file, `replica ordinal << 40
/// | number`. Its columns are the attributes, and compressed stamps of their last writes: a record
/// that one save wrote whole needs no stamps of its own. One row of `ab_changeset` is one save:
/// history, pushing and auditing read the same log.
///
/// Replica ID, sequence number, clock, record numbers, format, model and file identity come from
/// memory only while SQLite says that no other connection has written.
/// `Documentation/FileFormat.md` gives every table.
package enum StoreFormat {
    /// The tables beside those of the model. A file of a later format is refused and left
    /// unchanged.
    static let tables = TableFormat(prefix: "ab_", creation: CoreTables.creation)
    /// The number of the latest format.
    package static let version = tables.latest
    /// `PRAGMA application_id` of every store: "Anab" in ASCII.
    package static let applicationID: Int64 = 0x416E_6162
}
