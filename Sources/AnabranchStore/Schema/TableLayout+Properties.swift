import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension TableLayout {
    /// A property as it travels: what is written, stamped and merged as one.
    ///
    /// It has one column or, where it is a group, one for each member. A value of a group that
    /// these columns can't say stands whole among the deferred cells, too: one with members that
    /// this model does not have, one without a member that it has, or one that is no map. So what
    /// this model does not know is carried along, and the columns are there to be read.
    final class Property: Sendable {
        let wire: WireProperty
        /// Of a group in the order of its members.
        let columns: [Column]
        /// The first, which is the only one where there is no group.
        let column: Column
        let group: AttributeGroupDescription?
        /// How many columns SQL sees.
        let width: Int
        let rule: MergeRule
        /// In `ab_writes`.
        let number: Int

        /// - Parameter columns: Not empty.
        fileprivate init(_ columns: [Column], group: AttributeGroupDescription?) {
            wire = columns[0].property.wireProperty
            self.columns = columns
            column = columns[0]
            self.group = group
            width = columns.reduce(0) { $0 + $1.names.count }
            rule = wire.rule
            number = column.number
        }

        var slots: [Int] { columns.map(\.slot) }
        var names: [String] { columns.flatMap(\.names) }
        /// The entity that declares the property.
        var entity: EntityDescription { column.property.entity }
    }

    /// - Parameter columns: Of one entity, or of a whole hierarchy.
    /// - Returns: In the order of their first columns.
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
    typealias Cell = (column: TableLayout.Column, value: Value)

    /// What a value puts into each column.
    ///
    /// - Parameter value: As this file stores it; of a group as it travels.
    func cells(of value: Value) -> [Cell] {
        guard let group else { return [(column, value)] }
        return zip(columns, group.values(in: value)).map { ($0, $1) }
    }

    /// Whether the columns say all of a value.
    func isPlain(_ value: Value) -> Bool {
        guard let group else { return true }
        guard case .group(let value) = value else { return false }
        return value.members.elementsEqual(group.members) {
            $0.name == $1.name && $0.type == $1.type
        }
    }

    /// The value of a group whose members are written.
    ///
    /// - Parameters:
    ///   - values: Of the columns.
    ///   - carried: The value before, whose other members stay.
    /// - Returns: `nil` where nobody could read it: a value is not of its member's type, or there
    ///   are too many members.
    func groupValue(_ values: [Value], over carried: Value?) -> Value? {
        guard let group else { return values.first }
        let members = zip(group.members, values).map {
            GroupValue.Member(name: $0.name, type: $0.type, value: $1)
        }
        guard case .group(let carried)? = carried else {
            return GroupValue(ascending: members).map(Value.group)
        }
        return carried.replacing(members).map(Value.group)
    }
}

extension Statement {
    /// The value of a property as its columns say it, as it travels.
    func wireValue(
        at index: Int, of property: TableLayout.Property, _ replicas: ReplicaTable,
        hidden: LocalID? = nil
    ) -> Value {
        guard property.group != nil else {
            return wireValue(at: index, of: property.column, replicas, hidden: hidden)
        }
        let values = property.columns.enumerated().map { offset, column in
            slot(at: index + offset, as: column.kind)
        }
        return property.groupValue(values, over: nil) ?? .null
    }
}
