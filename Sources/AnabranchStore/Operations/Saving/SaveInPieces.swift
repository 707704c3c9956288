/// A save of new records with a request of many pieces, so that only one of them is in memory.
///
/// A piece contains inserts, updates, added links, and lists that are the ends of new records'
/// lists. Links follow the records that they connect. Updates are of records that the same
/// transaction has inserted, and their versions are not compared. Nothing else in a piece is saved.
package struct SaveInPieces {
    package var author: String
    package var name: String
    /// The time in milliseconds since 1970-01-01 UTC; `nil` is the present time.
    package var wallMilliseconds: Int64?
    /// Returns the next piece; `nil` after the last.
    package var next: () throws -> SaveRequest?

    package init(
        author: String, name: String = "", wallMilliseconds: Int64? = nil,
        next: @escaping () throws -> SaveRequest?
    ) {
        self.author = author
        self.name = name
        self.wallMilliseconds = wallMilliseconds
        self.next = next
    }
}
