import AnabranchModel
import AnabranchStore

/// The whole content of a source as pieces of one save: lists, then objects, then links.
final class ConvertedPieces {
    private let context: SourceContext
    private var entities: ArraySlice<SourceLayout.SourceEntity>
    private var joins: ArraySlice<JoinTable>
    private var rows: EntityRows?
    private var links: JoinRows?
    private var hasLists = false
    /// The number of links that were read.
    private(set) var linkCount = 0
    /// The number of objects that were read.
    private(set) var objectCount = 0

    private static let rowsInPiece = 8192

    init(_ context: SourceContext) {
        self.context = context
        entities = context.layout.entities.filter { !$0.entity.isAbstract }[...]
        joins = context.layout.joins[...]
    }

    /// Reads the next piece; `nil` after the last.
    func next() throws -> SaveRequest? {
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
            if let insert = try rows?.next(Self.rowsInPiece) { return insert }
            guard let entity = entities.popFirst() else { return nil }
            rows = try EntityRows(entity, context)
        }
    }

    private func nextLinks() throws -> [SaveRequest.LinkChange]? {
        while true {
            if let next = try links?.next(Self.rowsInPiece) { return next }
            guard let join = joins.popFirst() else { return nil }
            links = try JoinRows(join, context)
        }
    }
}
