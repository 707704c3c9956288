import AnabranchModel
import AnabranchStore

/// An open source with everything that is known of its places and rows.
struct SourceContext {
    let file: CoreDataFile
    let layout: SourceLayout
    let rows: SourceRows
    var names: ConvertedSource
    let doubts: DoubtList
    /// The persistent history; `nil` if the source keeps none.
    var history: SourceHistory?

    /// The ID of a record in the new store. The store's first replica has the ordinal 0.
    ///
    /// The keys of all rows were checked before any of them is read.
    func id(ofKey key: Int64, inTable table: Int) -> LocalID {
        LocalID(ordinal: 0, number: names.number(ofKey: key, inTable: table) ?? 0)
    }
}

extension SourceLayout {
    /// The position of the table with an entity's objects.
    ///
    /// An abstract entity of the model may have no number in the source, but its sub-entities have.
    func table(of entity: EntityDescription) -> Int? {
        hierarchy(of: entity).first.map { entities[$0].table }
    }
}
