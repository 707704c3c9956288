import Anabranch

/// Finds rows that violate a uniqueness constraint, before anything is written.
///
/// It checks only if every row inserts a record. With `--key` a row may change an earlier row's
/// record or a stored record, so only the save itself can find a violation.
struct UniquenessCheck {
    private struct Rule {
        /// The entity that declares the constraint; a key must be unique among its records.
        let owner: EntityDescription
        let attributes: [AttributeDescription]
        /// True if the store has records of the owner, or records that inherit from it.
        let hasStored: Bool
        /// The keys of all rows so far.
        var keys = KeyLedger()

        var names: String { attributes.map(\.name).joined(separator: ", ") }

        /// True if a row gives its record no key: a value is null, which equals nothing.
        func lacksKey(_ row: borrowing PreparedRow) -> Bool {
            for attribute in attributes where value(of: attribute, in: row).isNull { return true }
            return false
        }

        func value(
            of attribute: AttributeDescription, in row: borrowing PreparedRow
        ) -> PropertyValue {
            row.value(of: attribute) ?? attribute.initialValue
        }

        /// Keeps the key of a row.
        mutating func addKey(of row: borrowing PreparedRow) throws {
            // The closure can't read the rule, because the call changes it.
            let values = attributes.count == 1 ? nil : attributes.map { value(of: $0, in: row) }
            let first = value(of: attributes[0], in: row)
            try keys.add(at: row.place) { hasher in
                guard let values else { return hasher.combine(first) }
                for value in values { hasher.combine(value) }
            }
        }
    }

    private var rules: [Rule] = []
    private let file: String

    /// The number of keys in one fetch.
    private static let fetchedKeys = 500

    init(plan: ImportPlan, file: String, context: ManagedObjectContext) throws {
        self.file = file
        guard plan.key == nil else { return }
        for owner in sequence(first: plan.entity, next: \.superentity) {
            for attributes in owner.ownUniquenessConstraints {
                rules.append(
                    Rule(
                        owner: owner, attributes: attributes,
                        hasStored: try context.hasRecords(of: owner)))
            }
        }
    }

    /// Compares some rows with the store, and keeps their keys for ``finish()``.
    mutating func check(_ rows: [PreparedRow], in context: ManagedObjectContext) throws {
        for index in rules.indices {
            var places: [[PropertyValue]: InputPlace] = [:]
            for row in rows where !rules[index].lacksKey(row) {
                try rules[index].addKey(of: row)
                guard rules[index].hasStored else { continue }
                let rule = rules[index]
                places[rule.attributes.map { rule.value(of: $0, in: row) }] = row.place
            }
            try checkStore(rules[index], places, context)
        }
    }

    /// Compares all rows with each other.
    ///
    /// - Throws: ``InputError`` for the first row with a key that an earlier row has.
    func finish() throws {
        for rule in rules {
            var first: (row: InputPlace, earlier: InputPlace)?
            try rule.keys.forEachKey { entries in
                guard entries.count > 1 else { return }
                let row = entries[entries.startIndex + 1].place
                if first.map({ row < $0.row }) ?? true {
                    first = (row, entries[entries.startIndex].place)
                }
            }
            guard let first else { continue }
            throw error(
                rule, first.row, "The row in line \(first.earlier.line) has the same value.")
        }
    }

    private func checkStore(
        _ rule: Rule, _ places: [[PropertyValue]: InputPlace], _ context: ManagedObjectContext
    ) throws {
        var rest = Array(places.keys)[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Self.fetchedKeys)
            rest = rest.dropFirst(piece.count)
            var request = FetchRequest<ManagedObject>(entityName: rule.owner.name)
            request.includesPendingChanges = false
            for (index, attribute) in rule.attributes.enumerated() {
                let values = Array(Set(piece.map { $0[index] }))
                let term = try FetchPredicate("%K IN %@", attribute.name, values)
                request.predicate = request.predicate.map { $0.and(term) } ?? term
            }
            for object in try context.fetch(request) {
                let key = try rule.attributes.map { try object.value(forKey: $0.name) }
                guard let place = places[key] else { continue }
                throw error(
                    rule, place,
                    "The store already has a \(object.entity.name) with the "
                        + "same value.")
            }
        }
    }

    private func error(_ rule: Rule, _ place: InputPlace, _ cause: String) -> InputError {
        InputError(
            file: file, place: place, field: rule.names,
            message: "The value must be unique among all records of \(rule.owner.name). \(cause)")
    }
}

extension ManagedObjectContext {
    /// True if the store has a record of the entity, or one that inherits from it.
    func hasRecords(of entity: EntityDescription) throws -> Bool {
        var request = FetchRequest<ManagedObject>(entityName: entity.name)
        request.fetchLimit = 1
        return try !fetch(request).isEmpty
    }
}
