import Anabranch

/// Imports a whole input into a store, with several rows in each save.
///
/// A file is read twice. The first pass creates every record without saving, so that an invalid row
/// is found before anything is written. Standard input can be read only once: after an invalid row,
/// the saves of earlier batches stay, and the error reports them.
struct ImportRun {
    let plan: ImportPlan
    let path: String
    let form: InputFormat
    let batchSize: Int
    let author: String
    let console: Console

    struct Outcome {
        var rows = 0
        var inserted = 0
        var updated = 0
        var missing = 0
        var saves = 0
    }

    func run(in coordinator: PersistentStoreCoordinator) throws -> Outcome {
        let context = BackgroundContext(coordinator: coordinator)
        return try context.performAndWait { context in
            context.transactionAuthor = author
            context.name = "import \(plan.entity.name)"
            if path != "-" { _ = try pass(in: context, isSaving: false) }
            return try pass(in: context, isSaving: true)
        }
    }

    private func pass(in context: ManagedObjectContext, isSaving: Bool) throws -> Outcome {
        let source = try ByteSource(path: path)
        let progress = ProgressBar(console, unit: isSaving ? "rows written" : "rows checked")
        defer { progress.finish() }
        var work = ImportPass(
            plan: plan, preparer: RowPreparer(plan: plan, file: source.name), context: context,
            isSaving: isSaving)
        do {
            var rows = try form.rows(of: source)
            try checkColumns(rows.columns, source.name)
            var batch: [PreparedRow] = []
            while let row = try rows.next() {
                batch.append(
                    try work.preparer.prepare(row, number: work.outcome.rows + batch.count + 1))
                guard batch.count == batchSize else { continue }
                try work.finish(batch)
                batch = []
                let total = source.byteCount.map(Double.init)
                progress.update(
                    fraction: total.map { Double(source.consumed) / max($0, 1) },
                    count: work.outcome.rows)
            }
            if !batch.isEmpty { try work.finish(batch) }
            try work.finishDeferred(batchSize)
        } catch {
            context.rollback()
            progress.finish()
            throw PartialImport(cause: error, outcome: isSaving ? work.outcome : Outcome())
        }
        return work.outcome
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

/// The state of one pass over the input.
private struct ImportPass {
    let plan: ImportPlan
    let preparer: RowPreparer
    let context: ManagedObjectContext
    let isSaving: Bool
    var outcome = ImportRun.Outcome()
    private var waiting: [ImportBatch.Deferred] = []
    /// For each link rule, the keys of the checked rows to which its links may refer.
    ///
    /// Only a run that saves nothing needs them, because it inserts no records into the store.
    private var keys: [Set<Value>]
    private var uniqueness: UniquenessCheck
    /// The keys of records that rows would insert, while only checking.
    private var madeKeys: Set<Value> = []

    init(
        plan: ImportPlan, preparer: RowPreparer, context: ManagedObjectContext, isSaving: Bool
    ) {
        self.plan = plan
        self.preparer = preparer
        self.context = context
        self.isSaving = isSaving
        keys = plan.links.map { _ in [] }
        uniqueness = UniquenessCheck(plan: plan, file: preparer.file)
    }

    mutating func finish(_ rows: [PreparedRow]) throws {
        var batch = ImportBatch(plan: plan, preparer: preparer, context: context)
        try batch.apply(rows, madeKeys: madeKeys)
        if isSaving {
            try save(rows.first, rows.last)
        } else {
            try uniqueness.check(rows, batch.objects, in: context)
            addKeys(rows)
            madeKeys.formUnion(rows.compactMap(\.key))
        }
        context.reset()
        waiting += batch.deferred
        outcome.rows += rows.count
        outcome.inserted += batch.insertedCount
        outcome.updated += batch.updatedCount
        outcome.missing += batch.missingCount
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

    private mutating func addKeys(_ rows: [PreparedRow]) {
        for (index, rule) in plan.links.enumerated() where plan.entity.isKind(of: rule.destination)
        {
            for row in rows {
                for (attribute, value) in row.values where attribute.name == rule.key.name {
                    keys[index].insert(value)
                }
            }
        }
    }

    mutating func finishDeferred(_ batchSize: Int) throws {
        var rest = waiting.filter { isSaving || !keys[$0.rule].contains($0.key) }[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(batchSize))
            rest = rest.dropFirst(piece.count)
            var batch = ImportBatch(plan: plan, preparer: preparer, context: context)
            try batch.connect(piece)
            if isSaving, context.hasChanges {
                try context.save()
                outcome.saves += 1
            }
            context.reset()
            outcome.missing += batch.missingCount
        }
    }
}
