import Anabranch

/// Imports a whole input into a store, with several rows in each save.
///
/// A file is read twice. The first pass checks every row, so that an invalid one is found before
/// anything is written. Standard input can be read only once: after an invalid row, the saves of
/// earlier batches stay, and the error reports them.
struct ImportRun {
    let plan: ImportPlan
    let path: String
    let form: InputFormat
    /// The number of rows in one save; `nil` to choose it by the size of the rows.
    let batchSize: Int?
    let author: String
    let console: Console

    struct Outcome {
        var rows = 0
        var inserted = 0
        var updated = 0
        var missing = 0
        var saves = 0
        /// The number of times without an offset that were read as UTC.
        var assumedZones = 0
    }

    /// The greatest number of rows in a save if the user chooses none. Every save writes pages of
    /// all indexes, so many rows share the cost.
    private static let usualRows = 50_000
    /// The number of bytes of input after which a save begins if the user does not choose the
    /// number of rows. It bounds the memory for the rows of one save.
    private static let usualBytes = 8 << 20

    func run(in coordinator: PersistentStoreCoordinator) throws -> Outcome {
        let context = BackgroundContext(coordinator: coordinator)
        return try context.performAndWait { context in
            context.transactionAuthor = author
            context.name = "import \(plan.entity.name)"
            if path != "-" { try check(in: context) }
            return try write(in: context)
        }
    }

    private func check(in context: ManagedObjectContext) throws {
        let source = try ByteSource(path: path)
        do {
            let (rows, preparer) = try open(source)
            var pass = try ImportCheck(preparer: preparer, context: context)
            try forEachBatch(of: rows, preparer, source, "rows checked") { try pass.check($0) }
            try pass.finish()
        } catch {
            throw PartialImport(cause: error, outcome: Outcome())
        }
    }

    private func write(in context: ManagedObjectContext) throws -> Outcome {
        let source = try ByteSource(path: path)
        var outcome = Outcome()
        do {
            let (rows, preparer) = try open(source)
            var pass = ImportWriting(preparer: preparer, context: context)
            defer { outcome = pass.outcome }
            try forEachBatch(of: rows, preparer, source, "rows written") { try pass.write($0) }
            try pass.finish()
        } catch {
            context.rollback()
            throw PartialImport(cause: error, outcome: outcome)
        }
        return outcome
    }

    /// Begins to read an input.
    ///
    /// - Throws: ``InputError`` if its beginning can't be read, or if its columns do not fit.
    private func open(_ source: ByteSource) throws -> (any RowReader, RowPreparer) {
        let rows = try form.rows(of: source)
        try checkColumns(rows.columns, source.name)
        return (rows, RowPreparer(plan: plan, file: source.name, columns: rows.columns))
    }

    private func forEachBatch(
        of rows: any RowReader, _ preparer: RowPreparer, _ source: ByteSource, _ unit: String,
        _ body: ([PreparedRow]) throws -> Void
    ) throws {
        let progress = ProgressBar(console, unit: unit)
        defer { progress.finish() }
        var rows = rows
        var batch: [PreparedRow] = []
        var (count, start) = (0, source.consumed)
        while let row = try rows.next() {
            count += 1
            batch.append(try preparer.prepare(row, number: count))
            guard isFull(batch.count, source.consumed - start) else { continue }
            try body(batch)
            batch.removeAll(keepingCapacity: true)
            start = source.consumed
            let total = source.byteCount.map(Double.init)
            progress.update(
                fraction: total.map { Double(source.consumed) / max($0, 1) }, count: count)
        }
        if !batch.isEmpty { try body(batch) }
    }

    private func isFull(_ rows: Int, _ bytes: Int) -> Bool {
        batchSize.map { rows >= $0 } ?? (rows >= Self.usualRows || bytes >= Self.usualBytes)
    }

    /// Checks the names of columns before the first row is read.
    ///
    /// - Parameter columns: The names; `nil` for JSON, which is checked row by row.
    ///
    /// - Throws: ``InputError`` if a column is unknown, or if a column that `--link` reads is
    ///   missing.
    private func checkColumns(_ columns: [String]?, _ file: String) throws {
        guard let columns else { return }
        for name in columns where plan.target(ofColumn: name) == nil {
            throw InputError(
                file: file, place: InputPlace(line: 1, column: 1), field: name,
                message: plan.advice(forColumn: name))
        }
        for link in plan.links {
            for column in link.template.columns where !columns.contains(column) {
                throw InputError(
                    file: file, place: InputPlace(line: 1, column: 1),
                    message: "There is no column '\(column)', which --link "
                        + "\(link.relationship.name) reads.")
            }
        }
    }
}

/// An error that ended an import early, with the rows that were saved before it.
struct PartialImport: Error {
    let cause: any Error
    let outcome: ImportRun.Outcome

    var consequence: String {
        guard outcome.saves > 0 else { return "Nothing was written." }
        return "The first \(outcome.rows) rows were written, in \(outcome.saves) "
            + "save\(outcome.saves == 1 ? "" : "s"); nothing after them."
    }
}
