import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore

/// The content of a source with a history: one save for what was there before the history, and one
/// for each transaction of which something is left.
///
/// An object enters with the transaction that inserted it, and has its present values from then on.
/// The last transaction that changed it writes them again, so the object was last written by the
/// right author at the right time. What the transactions between wrote is not known, and they leave
/// nothing. A reference or a link enters as soon as both objects are there.
final class HistorySaves: ConvertedSaves {
    private let context: SourceContext
    private let source: SourceHistory
    private let rows: [NamedRows?]
    /// The insertions of the steps that were not saved yet.
    private var insertions: ArraySlice<SourceHistory.Insertion>
    /// The rows that later steps write again.
    private var updates: [Int: [RepeatedRows.Row]] = [:]
    private var links: [Int: [SaveRequest.LinkChange]] = [:]
    private var step = 0
    private var hasLists = false
    private(set) var objectCount = 0
    private(set) var linkCount = 0
    private var keptTransactionCount = 0

    init(_ context: SourceContext, _ source: SourceHistory) throws {
        self.context = context
        self.source = source
        insertions = source.insertions[...]
        rows = try context.layout.entities.map {
            $0.entity.isAbstract ? nil : try NamedRows(RowReader($0, context))
        }
    }

    var history: ConvertedHistory? {
        ConvertedHistory(
            transactionCount: source.transactions.count,
            keptTransactionCount: keptTransactionCount,
            deletedObjectCount: source.deletedObjectCount)
    }

    func next() throws -> SaveInPieces? {
        while step <= source.transactions.count {
            defer { step += 1 }
            if hasContent(step) { return save(step) }
        }
        return nil
    }

    private func hasContent(_ step: Int) -> Bool {
        if step == 0 { return context.rows.counts.reduce(0, +) > source.insertions.count }
        return insertions.first?.step == step || updates[step] != nil || links[step] != nil
    }

    private func save(_ step: Int) -> SaveInPieces {
        var parts: ArraySlice = [
            listPieces(), step == 0 ? earlierPieces() : insertPieces(step), updatePieces(step),
            linkPieces(step),
        ]
        func next() throws -> SaveRequest? {
            while let part = parts.first {
                if let piece = try part() { return piece }
                parts.removeFirst()
            }
            return nil
        }
        guard step > 0 else { return .converted(next: next) }
        keptTransactionCount += 1
        let transaction = source.transactions[step - 1]
        return SaveInPieces(
            author: transaction.author, name: transaction.contextName,
            wallMilliseconds: transaction.milliseconds, next: next)
    }
}

extension HistorySaves {
    private typealias Pieces = () throws -> SaveRequest?

    /// The lists, with the first save. The links of all saves are read then too.
    private func listPieces() -> Pieces {
        { [self] in
            guard !hasLists else { return nil }
            hasLists = true
            try readLinks()
            var piece = SaveRequest()
            piece.lists = try SourceLists(context: context).all()
            return piece
        }
    }

    private func readLinks() throws {
        for join in context.layout.joins {
            let rows = try JoinRows(join, context)
            while let found = try rows?.next() {
                for link in found {
                    let step = max(source.entry(of: link.owner), source.entry(of: link.other))
                    links[step, default: []].append(link)
                }
            }
        }
    }

    /// The rows that no transaction inserted.
    private func earlierPieces() -> Pieces {
        var entities = rows.indices[...]
        var present: EntityRows?
        return { [self] in
            while true {
                if let insert = try present?.next() { return inserting(insert) }
                guard let entity = entities.popFirst() else { return nil }
                guard let reader = rows[entity]?.reader else { continue }
                present = try EntityRows(reader) { [self] key in
                    source.entry(of: context.id(ofKey: key, inTable: reader.source.table)) == 0
                } change: { [self] key in
                    plan(reader, entity, key, after: 0)
                }
            }
        }
    }

    private func insertPieces(_ step: Int) -> Pieces {
        { [self] in
            guard let first = insertions.first, first.step == step, let rows = rows[first.entity]
            else { return nil }
            let reader = rows.reader
            var insert = SaveRequest.Insert(entity: reader.source.entity)
            let limit = reader.byteCount + PieceLimits.byteCount
            while let next = insertions.first, next.step == step, next.entity == first.entity,
                insert.rows.count < PieceLimits.rowCount, reader.byteCount < limit
            {
                insertions.removeFirst()
                guard try rows.read(next.key) else { continue }
                plan(reader, next.entity, next.key, after: step)
                reader.append(next.key, to: &insert.rows)
            }
            return inserting(insert)
        }
    }

    private func inserting(_ insert: SaveRequest.Insert) -> SaveRequest {
        var piece = SaveRequest()
        piece.inserts = [insert]
        objectCount += insert.rows.count
        return piece
    }

    /// Plans the later write of a row that was read, and removes references to objects that are
    /// not there yet.
    private func plan(_ reader: RowReader, _ entity: Int, _ key: Int64, after step: Int) {
        let id = context.id(ofKey: key, inTable: reader.source.table)
        var last = source.update(of: id)
        var slots = last > step ? reader.repeatableSlots : []
        for slot in reader.referenceSlots {
            guard case .integer(let target) = reader.row[slot] else { continue }
            let entry = source.entry(of: target)
            guard entry > step else { continue }
            reader.clear(slot)
            if !slots.contains(slot) { slots = (slots + [slot]).sorted() }
            last = max(last, entry)
        }
        guard !slots.isEmpty else { return }
        updates[last, default: []].append(RepeatedRows.Row(entity: entity, key: key, slots: slots))
    }

    private func updatePieces(_ step: Int) -> Pieces {
        var repeated = RepeatedRows(updates.removeValue(forKey: step) ?? [])
        return { [self] in
            guard let update = try repeated.next(rows) else { return nil }
            var piece = SaveRequest()
            piece.updates = [update]
            return piece
        }
    }

    private func linkPieces(_ step: Int) -> Pieces {
        { [self] in
            guard let links = links.removeValue(forKey: step) else { return nil }
            linkCount += links.count
            var piece = SaveRequest()
            piece.links = links
            return piece
        }
    }
}
