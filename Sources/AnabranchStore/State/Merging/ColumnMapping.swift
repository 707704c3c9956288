import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// The mapping from the properties of a block to the columns of a table.
struct ColumnMapping {
    /// The properties that are written, and the index of each in the block.
    private(set) var properties: [TableLayout.Property] = []
    private(set) var sources: [Int] = []
    /// The indices of properties that this model does not have.
    private(set) var unknown: [Int] = []
    /// The numbers of properties that the block does not write.
    private let unwritten: [Int]

    init(_ properties: [WireProperty], layout: EntityLayout) {
        for (source, property) in properties.enumerated() {
            if let property = layout.property(property) {
                self.properties.append(property)
                sources.append(source)
            } else {
                unknown.append(source)
            }
        }
        let written = Set(self.properties.map(\.number))
        unwritten = layout.properties.map(\.number).filter { !written.contains($0) }
    }

    var columns: [TableLayout.Column] { properties.flatMap(\.columns) }

    /// The writes of a row that a change set inserts.
    func writes(by set: IncomingSet) -> RowWrites {
        var writes = RowWrites(by: set.position)
        for number in unwritten { writes.leaveUnwritten(number) }
        return writes
    }
}
