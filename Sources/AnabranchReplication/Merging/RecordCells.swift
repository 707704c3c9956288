/// The cells of one record as a list, merged by the rules: what a store does for records and
/// properties that have no table of their own.
///
/// A property has one cell, under `keepBoth` one for each value that stands beside the others.
public struct RecordCells: Hashable, Sendable {
    public typealias Cell = CanonicalRecord.Cell

    public private(set) var cells: [Cell]

    public init(_ cells: [Cell] = []) { self.cells = cells }

    public subscript(property: WireProperty) -> [Cell] { cells.filter { $0.property == property } }

    /// Writes a register.
    ///
    /// - Returns: What became of the write, and what it met.
    public mutating func write(
        _ value: Value, to property: WireProperty, stamp: Stamp
    ) -> (outcome: Register.Outcome, held: Cell?) {
        let place = cells.firstIndex { $0.property == property }
        let held = place.map { cells[$0] }
        let outcome = Register.outcome(
            ofWriting: stamp, over: held?.stamp, by: property.rule,
            values: { (value, held?.value ?? .null) })
        if outcome == .takes {
            put(Cell(property: property, value: value, stamp: stamp), at: place)
        }
        return (outcome, held)
    }

    /// Adds a delta to a counter.
    public mutating func add(_ delta: Value, to property: WireProperty, stamp: Stamp) {
        let place = cells.firstIndex { $0.property == property }
        let held = place.map { cells[$0] }
        let sum = Counter.sum(held?.value ?? .null, delta, of: property.type)
        let latest = held.map { max($0.stamp, stamp) } ?? stamp
        put(Cell(property: property, value: sum, stamp: latest), at: place)
    }

    /// Writes a `keepBoth` property.
    public mutating func write(
        _ value: Value, to property: WireProperty, stamp: Stamp, seeing seen: [Stamp]
    ) {
        var siblings = Siblings(
            self[property].map { Siblings.Sibling(stamp: $0.stamp, content: $0.value) })
        siblings.write(value, stamp: stamp, seeing: seen)
        cells.removeAll { $0.property == property }
        cells += siblings.all.map {
            Cell(property: property, value: $0.content, stamp: $0.stamp)
        }
    }

    private mutating func put(_ cell: Cell, at place: Int?) {
        if let place { cells[place] = cell } else { cells.append(cell) }
    }
}
