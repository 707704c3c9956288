import AnabranchModel
import AnabranchStore

extension IndexAdvice {
    /// The number of rows from which the scan of a table is worth an index.
    private static let leastScan = 1000

    /// Finds the index that would have saved the scan of a query.
    ///
    /// Such an index leads to all rows that a part of the condition allows: attributes that equal a
    /// value come first, then one that is compared by order, or by which the rows are sorted.
    init?(_ query: FetchQuery, _ explained: ExplainedQuery) {
        guard explained.scannedRowCount >= Self.leastScan,
            explained.plan.contains(where: { $0.hasPrefix("SCAN t0") })
        else { return nil }
        var search = IndexedAttributes()
        if let predicate = query.predicate { search.visit(predicate) }
        var attributes = search.equal
        if let ranged = search.ranged.first {
            attributes.append(ranged)
        } else if query.limit != nil, let sort = query.sorts.first,
            let attribute = search.attribute(sort.operand), sort.options.isEmpty
        {
            attributes.append(attribute)
        }
        var seen: Set<String> = []
        attributes = attributes.filter { seen.insert($0.name).inserted }
        guard let last = attributes.map(\.entity).max(by: { $0 != $1 && $1.isKind(of: $0) }),
            !last.hasIndex(leadingTo: attributes)
        else { return nil }
        self.init(entity: last.name, properties: attributes.map(\.name))
    }
}

/// The attributes of the fetched objects by which an index would lead to the rows.
private struct IndexedAttributes {
    private(set) var equal: [AttributeDescription] = []
    private(set) var ranged: [AttributeDescription] = []

    mutating func visit(_ predicate: ResolvedPredicate) {
        switch predicate {
        case .conjunction(let parts): for part in parts { visit(part) }
        case .comparison(let left, let relation, let right, let options) where options.isEmpty:
            visit(left, relation, right)
            visit(right, relation, left)
        case .membership(let operand, _, let options) where options.isEmpty:
            if let attribute = attribute(operand) { equal.append(attribute) }
        default: break
        }
    }

    private mutating func visit(
        _ operand: ResolvedOperand, _ relation: ResolvedRelation, _ other: ResolvedOperand
    ) {
        guard case .constant = other, let attribute = attribute(operand) else { return }
        if relation == .equal {
            equal.append(attribute)
        } else {
            ranged.append(attribute)
        }
    }

    /// The attribute, if it is one of the fetched object itself that a table stores.
    func attribute(_ operand: ResolvedOperand) -> AttributeDescription? {
        guard case .attribute(let path, let attribute) = operand, path.scope == 0,
            path.steps.isEmpty, !attribute.isDerived
        else { return nil }
        return attribute
    }
}

extension EntityDescription {
    /// True if an index of the entity or of a super-entity begins with these attributes.
    fileprivate func hasIndex(leadingTo attributes: [AttributeDescription]) -> Bool {
        let names = attributes.map(\.name)
        return sequence(first: self, next: \.superentity).contains { entity in
            entity.indexes.contains {
                Set($0.elements.prefix(names.count).map(\.property.name)) == Set(names)
            }
        }
    }
}
