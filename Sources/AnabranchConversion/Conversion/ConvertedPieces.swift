import AnabranchModel
import AnabranchStore

/// The whole content of a source without a history as one save: lists, then objects, then links.
final class ConvertedPieces: ConvertedSaves {
    private let context: SourceContext
    private var entities: ArraySlice<SourceLayout.SourceEntity>
    private var joins: ArraySlice<JoinTable>
    private var rows: EntityRows?
    private var links: JoinRows?
    private var hasLists = false
    private var isBegun = false
    private(set) var linkCount = 0
    private(set) var objectCount = 0
    var history: ConvertedHistory? { nil }

    init(_ context: SourceContext) {
        self.context = context
        entities = context.layout.entities.filter { !$0.entity.isAbstract }[...]
        joins = context.layout.joins[...]
    }

    func next() -> SaveInPieces? {
        guard !isBegun, context.rows.counts.contains(where: { $0 > 0 }) else { return nil }
        isBegun = true
        return .converted { try self.nextPiece() }
    }

    private func nextPiece() throws -> SaveRequest? {
        var piece = SaveRequest()
        if !hasLists {
            hasLists = true
            piece.lists = try SourceLists(context: context).all()
            return piece
        }
        if let insert = try nextInsert() {
            objectCount += insert.rows.count
            piece.inserts = [insert]
            return piece
        }
        guard let links = try nextLinks() else { return nil }
        linkCount += links.count
        piece.links = links
        return piece
    }

    private func nextInsert() throws -> SaveRequest.Insert? {
        while true {
            if let insert = try rows?.next() { return insert }
            guard let entity = entities.popFirst() else { return nil }
            rows = try EntityRows(RowReader(entity, context))
        }
    }

    private func nextLinks() throws -> [SaveRequest.LinkChange]? {
        while true {
            if let next = try links?.next() { return next }
            guard let join = joins.popFirst() else { return nil }
            links = try JoinRows(join, context)
        }
    }
}
