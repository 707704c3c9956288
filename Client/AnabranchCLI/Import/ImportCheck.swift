import Anabranch

/// The first pass over a file: it finds invalid rows without creating records.
///
/// It writes nothing, and keeps only keys: those of unique attributes and of `--key` in temporary
/// files, and in memory those that links between rows of the file refer to.
struct ImportCheck {
    private let preparer: RowPreparer
    private let context: ManagedObjectContext
    private var uniqueness: UniquenessCheck
    private var records: RecordCheck
    private var links: LinkCheck

    init(preparer: RowPreparer, context: ManagedObjectContext) throws {
        self.preparer = preparer
        self.context = context
        let plan = preparer.plan
        uniqueness = try UniquenessCheck(plan: plan, file: preparer.file, context: context)
        records = try RecordCheck(preparer: preparer, context: context)
        links = LinkCheck(preparer: preparer)
    }

    /// Checks some rows.
    ///
    /// - Throws: ``InputError`` for an invalid one.
    mutating func check(_ rows: [PreparedRow]) throws {
        let stored = try records.check(rows, in: context)
        try links.check(rows, stored, in: context)
        try uniqueness.check(rows, in: context)
        context.reset()
    }

    /// Checks what only all rows together show.
    ///
    /// - Throws: ``InputError`` for an invalid row.
    mutating func finish() throws {
        try records.finish()
        try links.finish(in: context)
        try uniqueness.finish()
        context.reset()
    }
}

/// Checks that every record that the rows insert has its mandatory values.
private struct RecordCheck {
    private let preparer: RowPreparer
    /// True if rows can update stored records.
    private let hasStored: Bool
    /// With `--key`, the keys of the rows that no stored record has. An entry's note is 0 if the
    /// row is complete, or else the slot of the first property that it lacks, plus 1.
    private var keys = KeyLedger()

    init(preparer: RowPreparer, context: ManagedObjectContext) throws {
        self.preparer = preparer
        hasStored = try preparer.plan.key != nil && context.hasRecords(of: preparer.plan.entity)
    }

    /// Checks some rows.
    ///
    /// - Returns: The stored records that the rows update.
    mutating func check(
        _ rows: [PreparedRow], in context: ManagedObjectContext
    ) throws -> KeyIndex {
        guard let key = preparer.plan.key else {
            if preparer.hasMandatoryProperties {
                for row in rows { try preparer.checkIsComplete(row) }
            }
            return KeyIndex()
        }
        let stored =
            hasStored
            ? try KeyIndex(
                Set(rows.compactMap(\.key)), of: key, in: preparer.plan.entity, context: context)
            : KeyIndex()
        for row in rows {
            guard let value = row.key else { continue }
            guard !stored.ambiguous.contains(value) else {
                throw preparer.ambiguity(of: row)
            }
            guard stored.objects[value] == nil else { continue }
            let missing = preparer.missingProperty(of: row)
            try keys.add(at: row.place, note: missing.map { $0.slot + 1 } ?? 0) {
                $0.combine(value)
            }
        }
        return stored
    }

    /// Checks that the first row of each key is complete: it inserts the record that the other
    /// ones update.
    func finish() throws {
        var first: KeyLedger.Entry?
        try keys.forEachKey { entries in
            guard let entry = entries.first, entry.note > 0 else { return }
            if first.map({ entry.place < $0.place }) ?? true { first = entry }
        }
        guard let first else { return }
        throw preparer.error(missing: preparer.plan.entity.slots[first.note - 1], in: first.place)
    }
}
