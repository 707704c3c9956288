extension ListPosition {
    /// The position of a record in a list in which no save has placed it: another version of the
    /// model has put it there, for which the relationship is not ordered.
    ///
    /// It follows from the record alone, so it is the same on every replica. No save makes it,
    /// because its number is greater than that of any save.
    package static func unplaced(_ record: RecordID) -> ListPosition {
        var generator = ListPositionGenerator(
            Dot(replica: record.replica, sequence: record.number | 1 << 61))
        return generator.position(between: nil, and: nil)
    }
}
