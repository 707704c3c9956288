import Anabranch

/// Checks that the links of rows have targets, without creating records.
struct LinkCheck {
    /// The record that has a key.
    private enum Holder: Hashable {
        case stored(ManagedObjectID)
        /// The record of all rows with this value of `--key`.
        case keyed(PropertyValue)
        /// The record of a row, by the number of the row.
        case row(Int)
    }

    /// A link to a record that a later row may insert.
    private struct Waiting {
        let rule: Int
        let key: PropertyValue
        let field: String
        let place: InputPlace
    }

    private let preparer: RowPreparer
    private var plan: ImportPlan { preparer.plan }
    private var waiting: [Waiting] = []
    /// For each rule, the keys of the rows to which its links may refer.
    private var keys: [Set<PropertyValue>]

    init(preparer: RowPreparer) {
        self.preparer = preparer
        keys = preparer.plan.links.map { _ in [] }
    }

    /// Checks some rows.
    ///
    /// - Parameter stored: The stored records that the rows update.
    ///
    /// - Throws: ``InputError`` for a link without a target, or with several.
    mutating func check(
        _ rows: [PreparedRow], _ stored: KeyIndex, in context: ManagedObjectContext
    ) throws {
        for (index, rule) in plan.links.enumerated() {
            let links = rows.flatMap(\.links).filter { $0.rule == index }
            let found = try KeyIndex(
                Set(links.flatMap(\.keys)), of: rule.key, in: rule.destination, context: context)
            var holders = found.objects.mapValues { Holder.stored($0.objectID) }
            var ambiguous = found.ambiguous
            if plan.entity.isKind(of: rule.destination) {
                for row in rows {
                    let (key, holder) = try holder(of: row, rule, stored)
                    guard !key.isNull else { continue }
                    if let other = holders.updateValue(holder, forKey: key), other != holder {
                        ambiguous.insert(key)
                    }
                    keys[index].insert(key)
                }
            }
            for link in links { try check(link, rule, holders, ambiguous) }
        }
    }

    /// The record of a row, and the value by which links refer to it.
    private func holder(
        of row: PreparedRow, _ rule: LinkRule, _ stored: KeyIndex
    ) throws -> (key: PropertyValue, holder: Holder) {
        let given = row.value(of: rule.key)
        guard let value = row.key else {
            return (given ?? rule.key.initialValue, .row(row.number))
        }
        guard let object = stored.objects[value] else {
            return (given ?? rule.key.initialValue, .keyed(value))
        }
        return (try given ?? object.value(forKey: rule.key.name), .stored(object.objectID))
    }

    private mutating func check(
        _ link: PreparedRow.Link, _ rule: LinkRule, _ holders: [PropertyValue: Holder],
        _ ambiguous: Set<PropertyValue>
    ) throws {
        guard !link.keys.isEmpty || !rule.isMandatory else {
            throw preparer.error(link, preparer.absence(rule.relationship))
        }
        for key in link.keys {
            guard !ambiguous.contains(key) else {
                throw preparer.ambiguity(of: key, link, rule)
            }
            guard holders[key] == nil else { continue }
            if plan.entity.isKind(of: rule.destination) {
                waiting.append(
                    Waiting(rule: link.rule, key: key, field: link.field, place: link.place))
            } else if !rule.allowsMissing {
                throw preparer.error(missing: key, rule, link.field, link.place)
            }
        }
    }

    /// Checks the links to later rows, after all rows.
    mutating func finish(in context: ManagedObjectContext) throws {
        for (index, rule) in plan.links.enumerated() where !rule.allowsMissing {
            let links = waiting.filter { $0.rule == index && !keys[index].contains($0.key) }
            let found = try KeyIndex(
                Set(links.map(\.key)), of: rule.key, in: rule.destination, context: context)
            for link in links where found.objects[link.key] == nil {
                throw preparer.error(missing: link.key, rule, link.field, link.place)
            }
        }
    }
}
