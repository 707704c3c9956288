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

        /// The key that a row gives to its record; `nil` if a value is null, because null equals
        /// nothing.
        func key(of row: PreparedRow) -> [Value]? {
            var key: [Value] = []
            key.reserveCapacity(attributes.count)
            for attribute in attributes {
                let value = row.value(of: attribute) ?? attribute.defaultValue
                if value.isNull { return nil }
                key.append(value)
            }
            return key
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
            var places: [[Value]: InputPlace] = [:]
            for row in rows {
                guard let key = rules[index].key(of: row) else { continue }
                try rules[index].keys.add(at: row.place) { hasher in
                    for value in key { hasher.combine(value) }
                }
                if rules[index].hasStored { places[key] = row.place }
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
        _ rule: Rule, _ places: [[Value]: InputPlace], _ context: ManagedObjectContext
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
