/// The cells of one record as a list, merged by their rules.
///
/// A store uses it for records and properties without a table of their own. A property has one
/// cell, or under `keepBoth` one for each sibling.
package struct RecordCells: Hashable, Sendable {
    /// The value of one property with its stamp.
    package typealias Cell = CanonicalRecord.Cell

    /// The cells of each written property.
    private var cellsByProperty: [WireProperty: [Cell]] = [:]

    /// The cells of all written properties, in no particular order.
    package var cells: [Cell] { Array(cellsByProperty.values.joined()) }

    package init(_ cells: [Cell] = []) {
        cellsByProperty = Dictionary(grouping: cells, by: \.property)
    }

    /// The cells of one property: none if it was never written.
    package subscript(property: WireProperty) -> [Cell] { cellsByProperty[property] ?? [] }

    /// Writes a register.
    ///
    /// - Returns: The outcome of the write, and the cell that was held before.
    package mutating func write(
        _ value: PropertyValue, to property: WireProperty, stamp: Stamp
    ) -> (outcome: Register.Outcome, held: Cell?) {
        let held = self[property].first
        let outcome = Register.outcome(
            ofWriting: stamp, over: held?.stamp, by: property.rule,
            values: { (value, held?.value ?? .null) })
        if outcome == .replaces {
            cellsByProperty[property] = [Cell(property: property, value: value, stamp: stamp)]
        }
        return (outcome, held)
    }

    /// Adds a delta to a counter. The cell keeps the greatest stamp of its contributions.
    package mutating func add(_ delta: PropertyValue, to property: WireProperty, stamp: Stamp) {
        let held = self[property].first
        let sum = Counter.sum(held?.value ?? .null, delta, of: property.type)
        let latest = held.map { max($0.stamp, stamp) } ?? stamp
        cellsByProperty[property] = [Cell(property: property, value: sum, stamp: latest)]
    }

    /// Writes a `keepBoth` property. The value replaces those with the seen stamps.
    package mutating func write(
        _ value: PropertyValue, to property: WireProperty, stamp: Stamp, seeing seen: [Stamp]
    ) {
        var siblings = Siblings(
            self[property].map { Siblings.Sibling(stamp: $0.stamp, content: $0.value) })
        siblings.write(value, stamp: stamp, seeing: seen)
        cellsByProperty[property] = siblings.all.map {
            Cell(property: property, value: $0.content, stamp: $0.stamp)
        }
    }
}
