import Anabranch

/// The pass over an input that writes: each batch of rows is one save.
struct ImportWriting {
    private let preparer: RowPreparer
    private let context: ManagedObjectContext
    private(set) var outcome = ImportRun.Outcome()
    private var waiting: [ImportBatch.Deferred] = []

    /// The number of links to later rows in one save.
    private static let connectedLinks = 10_000

    init(preparer: RowPreparer, context: ManagedObjectContext) {
        self.preparer = preparer
        self.context = context
    }

    /// Saves some rows.
    ///
    /// - Throws: ``InputError`` for an invalid row; nothing of the rows is saved then.
    mutating func write(_ rows: [PreparedRow]) throws {
        var batch = ImportBatch(preparer: preparer, context: context)
        try batch.apply(rows)
        try save(rows.first, rows.last)
        context.reset()
        waiting += batch.deferred
        outcome.rows += rows.count
        outcome.inserted += batch.insertedCount
        outcome.updated += batch.updatedCount
        outcome.missing += batch.missingCount
        outcome.assumedZones += rows.reduce(0) { $0 + $1.assumedZones }
    }

    private mutating func save(_ first: PreparedRow?, _ last: PreparedRow?) throws {
        do {
            guard context.hasChanges else { return }
            try context.save()
            outcome.saves += 1
        } catch let error as SaveConflictError {
            throw refusal(error.message, first, last)
        } catch let error as ValidationError {
            let causes = error.all.isEmpty ? [error] : error.all
            throw refusal(causes.map(\.message).joined(separator: "\n"), first, last)
        }
    }

    private func refusal(
        _ cause: String, _ first: PreparedRow?, _ last: PreparedRow?
    ) -> InputError {
        let lines = "\(first?.place.line ?? 0) to \(last?.place.line ?? 0)"
        return InputError(
            file: preparer.file, message: "A row of the lines \(lines) can't be saved. \(cause)")
    }

    /// Saves the links to later rows, after all rows.
    mutating func finish() throws {
        var rest = waiting[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(Self.connectedLinks))
            rest = rest.dropFirst(piece.count)
            var batch = ImportBatch(preparer: preparer, context: context)
            try batch.connect(piece)
            if context.hasChanges {
                try context.save()
                outcome.saves += 1
            }
            context.reset()
            outcome.missing += batch.missingCount
        }
    }
}
