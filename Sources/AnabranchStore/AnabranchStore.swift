/// The store file: tables that any SQLite tool can read, and one log of every save.
///
/// A store is one SQLite database in WAL mode, written by one connection and read by a pool.
/// Every root entity has a table; a record's row ID is its identity on this file,
/// `replica ordinal << 40 | number`. Beside the attributes stand the stamps of their last writes,
/// compressed so that a record written by one save has none of its own. One row of
/// `ab_changeset` is one save: history, pushing and auditing read the same log.
///
/// What may not be lost is read inside the write transaction that uses it, never from memory:
/// replica ID, sequence number, clock, record numbers, format, model, and the identity of the
/// file itself. `Documentation/FileFormat.md` gives every table.
package enum StoreFormat {
    /// Of the tables. A file with a greater one is refused and left as it is.
    package static let version: Int64 = 1
    /// `PRAGMA application_id` of every store: "Anab" in ASCII.
    package static let applicationID: Int64 = 0x416E_6162
}
