// A property that changes its type or its merge rule in a later version of the model becomes
// another wire property. It shows the value of the former one as long as that is the later write.
extension WireProperty {
    /// True if this property of a model shows the values of another one of the same wire name.
    ///
    /// Only the two properties decide, and no history of models. So a store that was migrated and a
    /// new store show the same, and it does not matter over which versions a property has changed.
    /// Its type is that of the other one, or shows every value of it. Both hold single values or
    /// values side by side. A counter is neither: the sum of deltas says nothing without the start,
    /// and a state does not tell if it includes one.
    ///
    /// The to-one side of a to-many that becomes ordered or unordered goes on in the same way. Its
    /// property is never that of an attribute group.
    package func continues(_ former: WireProperty) -> Bool {
        guard name == former.name, self != former else { return false }
        if isReference && former.isReference { return true }
        return rule.isKeptAsValues && former.rule.isKeptAsValues
            && (type == former.type || type.widens(former.type)) && type.isAttribute
    }

    /// The value of a former property as this one shows it.
    ///
    /// An entry of a list loses its position in a to-one that is no entry. A reference that becomes
    /// an entry gets the position that follows from its record.
    ///
    /// - Parameter record: The record that has the property.
    /// - Returns: `nil` if this property does not show the value.
    package func shown(
        _ value: PropertyValue, of former: WireProperty, in record: RecordID
    ) -> PropertyValue? {
        guard isReference && former.isReference else {
            return type.widened(value, of: former.type)
        }
        guard !value.isNull, type != former.type else { return value }
        return ListEntry.target(of: value).map { target in
            type == .group
                ? ListEntry(target: target, position: .unplaced(record)).value
                : .reference(target)
        }
    }

    /// True if the property holds references, or entries of lists if it is no attribute group.
    private var isReference: Bool {
        type == .reference && rule == .lastWriter || type == .group && rule == .group
    }

    /// True if the links of this relationship show the values of another property of a record.
    ///
    /// A to-one that became to-many shows its reference as a link, and so does a to-many that
    /// became ordered or unordered, or belongs to another one of its sides, with its links. Unlike
    /// a value, a former link does not yield to a later one: all of them show together.
    ///
    /// - Parameter name: The wire name of the relationship at the end that has the other property.
    package func showsLinks(of former: WireProperty, named name: WireName) -> Bool {
        guard type == .links || type == .mutualLinks, former.name == name, self != former else {
            return false
        }
        switch former.type {
        case .reference, .group: return true
        case .links: return former.rule == .set || former.rule == .list
        case .mutualLinks: return type == .mutualLinks && [.set, .list].contains(former.rule)
        default: return false
        }
    }
}

extension ListEntry {
    /// A value after its record was renamed. An entry that is shown for a former reference gets the
    /// position that follows from the new name.
    package static func renamed(
        _ value: PropertyValue, from old: RecordID, to new: RecordID
    ) -> PropertyValue {
        guard old != new, let entry = ListEntry(value), entry.position == .unplaced(old) else {
            return value
        }
        return ListEntry(target: entry.target, position: .unplaced(new)).value
    }
}

extension MergeRule {
    /// True if the cells of a property are values that were written.
    fileprivate var isKeptAsValues: Bool {
        switch self {
        case .lastWriter, .firstWriter, .max, .min, .keepBoth: true
        default: false
        }
    }
}

extension Sequence<CanonicalRecord.Cell> {
    /// The latest value of the former properties of a property, as a cell of the property.
    ///
    /// Of equal stamps the greater property decides.
    ///
    /// - Parameter record: The record, which gets a position if the property is an entry of a list
    ///   and the former one was not.
    /// - Returns: `nil` if no former property was written, or if the property's own cell is at
    ///   least as late.
    package func former(of property: WireProperty, in record: RecordID) -> CanonicalRecord.Cell? {
        let own = lazy.filter { $0.property == property }.map(\.stamp).max()
        let former = lazy.filter { property.continues($0.property) }.compactMap { cell in
            property.shown(cell.value, of: cell.property, in: record).map { (cell, $0) }
        }.max { ($0.0.stamp, $0.0.property) < ($1.0.stamp, $1.0.property) }
        guard let (cell, value) = former, own.map({ $0 < cell.stamp }) ?? true else { return nil }
        return CanonicalRecord.Cell(property: property, value: value, stamp: cell.stamp)
    }
}
