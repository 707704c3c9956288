import AnabranchReplication
import TestSupport

@testable import AnabranchServer

extension TestAuthor {
    /// Returns a save that inserts some people, and their records.
    mutating func insertPeople(_ count: Int) -> (ChangeSet, [RecordID]) {
        let records = (0..<count).map { _ in newRecord() }
        let save = save([
            .insert(
                RowBlock(
                    entity: "Person", records: records, properties: [ChangeBlock.name],
                    columns: [ValueColumn(records.map { .string("Person \($0.number)") })]))
        ])
        return (save, records)
    }

    /// Returns a save in parts of one person each, and the parts.
    mutating func insertInParts(
        _ count: Int, name: String = "Person"
    ) -> (ChangeSet, [[UInt8]]) {
        let parts = (0..<count).map { number in
            ChangePayload(blocks: [.person(newRecord(), name: "\(name) \(number)")])
                .encoded(author: replica)
        }
        let list = PartList(parts.map { SavePart(of: $0) })
        return (save(payload: list.encoded(), as: .saveInParts), parts)
    }
}
