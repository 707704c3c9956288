import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension TableLayout {
    /// A property as it travels: the unit that is written, stamped and merged.
    ///
    /// It has one column or, if it is an attribute group, one column for each member. Some group
    /// values do not fit these columns: one that has members unknown to this model, one that lacks
    /// a member, one in which a mandatory member is null, and one that is not a map. Such a value
    /// is also kept whole among the deferred cells, so unknown members survive, and the columns
    /// stay readable.
    final class Property: Sendable {
        let wire: WireProperty
        /// The columns; for an attribute group, in the order of its members.
        let columns: [Column]
        /// The first column, which is the only one unless the property is an attribute group.
        let column: Column
        let group: AttributeGroupDescription?
        /// The number of SQL columns.
        let width: Int
        let rule: MergeRule
        /// The value in the column if null was written; null for a group, and for a property that
        /// shows null.
        ///
        /// The row then says that the property was never written, and its cell, null, is among the
        /// deferred rows. So all statements see what shows, and the state keeps what was written.
        let valueWhenNull: PropertyValue
        /// The property's number in `ab_writes`.
        let number: Int

        /// Creates a property.
        ///
        /// - Parameter columns: At least one column.
        fileprivate init(_ columns: [Column], group: AttributeGroupDescription?) {
            wire = columns[0].property.wireProperty
            self.columns = columns
            column = columns[0]
            self.group = group
            width = columns.reduce(0) { $0 + $1.names.count }
            rule = wire.rule
            valueWhenNull =
                group == nil ? column.property.attribute?.valueWhenNull ?? .null : .null
            number = column.number
        }

        /// True if the column shows a default and not the written value, which is null.
        func showsDefault(inPlaceOf written: PropertyValue) -> Bool {
            written.isNull && !valueWhenNull.isNull
        }

        /// True if an insertion leaves the property out if it has no value.
        ///
        /// Writing null to a `firstWriter` attribute would make every later write lose, so null is
        /// left out if it also shows without a write. A composite attribute that may be without a
        /// value shows none if it was never written, whatever its defaults are.
        var isLeftOutWithoutValue: Bool {
            if let group { return group.defaults.areHiddenWhenNeverWritten }
            return rule == .firstWriter
                && column.property.attribute?.valueWhenNeverWritten.isNull ?? true
        }

        var slots: [Int] { columns.map(\.slot) }
        var names: [String] { columns.flatMap(\.names) }
        /// The entity that declares the property.
        var entity: EntityDescription { column.property.entity }
    }

    /// Combines columns into properties.
    ///
    /// - Parameter columns: The columns of one entity, or of a whole hierarchy.
    /// - Returns: The properties in the order of their first columns.
    static func properties(of columns: [Column]) -> [Property] {
        var found: [Property] = []
        var known: Set<AttributeGroupDescription> = []
        for column in columns {
            guard let group = column.property.attribute?.group else {
                found.append(Property([column], group: nil))
                continue
            }
            guard known.insert(group).inserted else { continue }
            let members = group.members.compactMap { member in
                columns.first { $0.property == .attribute(member.attribute) }
            }
            found.append(Property(members, group: group))
        }
        return found
    }
}

extension TableLayout.Property {
    typealias Cell = (column: TableLayout.Column, value: PropertyValue)

    /// The value that each column gets from a value of the property.
    ///
    /// - Parameter value: The value as this file stores it; for an attribute group, in its wire
    ///   form.
    func cells(of value: PropertyValue) -> [Cell] {
        guard let group else { return [(column, value)] }
        return zip(columns, group.values(in: value)).map { ($0, $1) }
    }

    /// True if the columns represent the whole value: they have each of its members, and show no
    /// default in place of one.
    func isPlain(_ value: PropertyValue) -> Bool {
        guard let group else { return true }
        guard case .group(let value) = value else { return false }
        return value.members.elementsEqual(group.members) {
            $0.name == $1.name && $0.type == $1.type
        } && (!group.defaults.isNeeded || group.showsAll(of: value.members.map(\.value)))
    }

    /// The value of an attribute group after a write of its members.
    ///
    /// - Parameters:
    ///   - values: The values of the columns.
    ///   - carried: The previous value, from which members that this model does not know are kept.
    /// - Returns: `nil` if the result could not be decoded: a value is not of its member's type, or
    ///   there are too many members.
    func groupValue(_ values: [PropertyValue], over carried: PropertyValue?) -> PropertyValue? {
        guard let group else { return values.first }
        let members = zip(group.members, values).map {
            GroupValue.Member(name: $0.name, type: $0.type, value: $1)
        }
        guard case .group(let carried)? = carried else {
            return GroupValue(ascending: members).map(PropertyValue.group)
        }
        return carried.replacing(members).map(PropertyValue.group)
    }
}

extension Statement {
    /// The wire value of a property, read from its columns.
    func wireValue(
        at index: Int, of property: TableLayout.Property, _ replicas: ReplicaTable,
        hidden: LocalID? = nil
    ) -> PropertyValue {
        guard property.group != nil else {
            return wireValue(at: index, of: property.column, replicas, hidden: hidden)
        }
        let values = property.columns.enumerated().map { offset, column in
            slot(at: index + offset, as: column.kind)
        }
        return property.groupValue(values, over: nil) ?? .null
    }
}

extension TableLayout.Column {
    var rule: MergeRule { property.wireProperty.rule }

    /// True if an `update` block contains the written value.
    var isRegister: Bool { rule != .counter && rule != .keepBoth }
}
