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
        /// The line of each key so far.
        var lines: [[Value]: Int] = [:]

        var names: String { attributes.map(\.name).joined(separator: ", ") }

        /// The key of an object; `nil` if a value is null, because null equals nothing.
        func key(of object: ManagedObject) throws -> [Value]? {
            let key = try attributes.map { try object.value(forKey: $0.name) }
            return key.contains { $0.isNull } ? nil : key
        }
    }

    private var rules: [Rule] = []
    private let file: String

    /// The number of keys in one fetch.
    private static let fetchedKeys = 500

    init(plan: ImportPlan, file: String) {
        self.file = file
        guard plan.key == nil else { return }
        rules = sequence(first: plan.entity, next: \.superentity).flatMap { owner in
            owner.ownUniquenessConstraints.map { Rule(owner: owner, attributes: $0) }
        }
    }

    /// Checks some rows.
    ///
    /// - Parameter objects: The unsaved records of the rows.
    mutating func check(
        _ rows: [PreparedRow], _ objects: [ManagedObject], in context: ManagedObjectContext
    ) throws {
        for index in rules.indices {
            var places: [[Value]: InputPlace] = [:]
            for (row, object) in zip(rows, objects) {
                guard let key = try rules[index].key(of: object) else { continue }
                if let line = rules[index].lines.updateValue(row.place.line, forKey: key) {
                    throw error(
                        rules[index], row.place,
                        "The row in line \(line) has the same "
                            + "value.")
                }
                places[key] = row.place
            }
            try checkStore(rules[index], places, context)
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
                guard let key = try rule.key(of: object), let place = places[key] else { continue }
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
