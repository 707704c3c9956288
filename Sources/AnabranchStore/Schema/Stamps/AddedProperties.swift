/// The properties of a table that a migration added without writing the rows.
///
/// A row that is older than such a property has never had a write of it, although its `ab_writes`
/// does not say so. The property's column then shows its default.
struct AddedProperties: Sendable {
    /// The numbers of the properties in ascending order, each with the last position of the log
    /// when it was added.
    private let positions: [(property: Int, position: Int64)]

    var isEmpty: Bool { positions.isEmpty }

    /// - Parameter positions: The last position of the log when a property was added, by the
    ///   property's number.
    init(_ positions: [Int: Int64] = [:]) {
        self.positions = positions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The numbers of the properties that are younger than a row.
    ///
    /// - Parameter base: The position of the change set that inserted the row.
    func later(than base: Int64) -> [Int] {
        positions.filter { $0.position >= base }.map(\.property)
    }
}
