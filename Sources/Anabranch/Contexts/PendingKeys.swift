import AnabranchModel
import AnabranchReplication

/// The changed objects of a context by the values of single attributes, for requests that look for
/// one value.
///
/// Without this, every request compares every changed object, so an import that looks for each
/// object before it creates it would take time in proportion to the square of their number.
///
/// The table of an attribute is made when a request first looks for a value of it, and all tables
/// go with the save. An object in the tables has the flag `keyed`: before its first change after
/// that it is noted here (``expire(_:)``), and the next request adds it again. Under values that
/// it had before it stays until a request finds it there.
struct PendingKeys {
    private var tables: [Table] = []
    /// The number of objects at the beginning of the context's list of changed objects that were
    /// added.
    private var addedCount = 0
    /// Objects that may have other values than the tables say.
    private var expired: [ManagedObject] = []
    /// Objects without values: they have changed only at the other end of a relationship, and their
    /// rows were not read.
    private var unread: [EntityDescription: [ManagedObject]] = [:]

    private struct Table {
        let attribute: AttributeDescription
        var objects: [PendingKey: [ManagedObject]] = [:]
        var entryCount = 0

        init(_ attribute: AttributeDescription) { self.attribute = attribute }

        func key(of object: ManagedObject) -> PendingKey? {
            guard object.entity === attribute.entity || object.entity.isKind(of: attribute.entity)
            else { return nil }
            return PendingKey(object.slots[attribute.slot])
        }

        /// - Returns: False if the object's entity does not have the attribute.
        mutating func add(_ object: ManagedObject) -> Bool {
            guard let key = key(of: object) else { return false }
            objects[key, default: []].append(object)
            entryCount += 1
            return true
        }

        /// Returns the objects that have a key now, each once.
        mutating func objects(with key: PendingKey) -> [ManagedObject] {
            guard let all = objects[key] else { return [] }
            var seen: Set<ObjectIdentifier> = []
            let present = all.filter {
                !$0.slots.isEmpty && self.key(of: $0) == key
                    && (all.count == 1 || seen.insert(ObjectIdentifier($0)).inserted)
            }
            if present.count < all.count {
                objects[key] = present.isEmpty ? nil : present
                entryCount -= all.count - present.count
            }
            return present
        }
    }

    var isEmpty: Bool { tables.isEmpty }

    /// Notes that an object gets other values.
    mutating func expire(_ object: ManagedObject) {
        if !isEmpty { expired.append(object) }
    }

    /// Returns the changed objects that may have a value.
    ///
    /// The cost is in proportion to the objects that were changed since the last call, and to the
    /// result.
    ///
    /// - Parameter changed: The context's list of changed objects.
    /// - Returns: The objects with the value, deleted ones too, and those that are to be read
    ///   first.
    mutating func objects(
        with key: PendingKey, of attribute: AttributeDescription, among changed: [ManagedObject]
    ) -> [ManagedObject] {
        addAll(of: changed)
        let place = tables.firstIndex { $0.attribute == attribute } ?? addTable(attribute, changed)
        for entity in unread.keys where entity.isKind(of: attribute.entity) {
            for object in unread.removeValue(forKey: entity) ?? [] { add(object) }
        }
        let waiting = unread.filter { $0.key.isKind(of: attribute.entity) }.flatMap(\.value)
        return (tables[place].objects(with: key) + waiting).filter {
            $0.hasChanges && !$0.flags.contains(.detached)
        }
    }

    private mutating func addAll(of changed: [ManagedObject]) {
        guard !isEmpty else { return }
        let limit = 64 + 2 * changed.count
        if tables.contains(where: { $0.entryCount > limit }) {
            tables = tables.map { Table($0.attribute) }
            addedCount = 0
        }
        let again = expired
        expired = []
        for object in again { add(object) }
        while addedCount < changed.count {
            add(changed[addedCount])
            addedCount += 1
        }
    }

    private mutating func add(_ object: ManagedObject) {
        // A fault without a row has no values.
        guard !object.slots.isEmpty else {
            return unread[object.entity, default: []].append(object)
        }
        for place in tables.indices where tables[place].add(object) {
            object.flags.formUnion(.keyed)
        }
    }

    /// - Returns: The place of the new table.
    private mutating func addTable(
        _ attribute: AttributeDescription, _ changed: [ManagedObject]
    ) -> Int {
        tables.append(Table(attribute))
        if tables.count == 1 {
            addAll(of: changed)
        } else {
            let place = tables.count - 1
            for object in changed where !object.slots.isEmpty {
                if tables[place].add(object) { object.flags.formUnion(.keyed) }
            }
        }
        return tables.count - 1
    }
}

/// A value by which changed objects are found. Values that a predicate takes for equal have equal
/// keys; the reverse need not hold.
enum PendingKey: Hashable {
    case number(UInt64)
    case text(String)
    case other(PropertyValue)

    init(_ value: PropertyValue) {
        self =
            switch value {
            case .bool(let flag): Self.key(of: flag ? 1 : 0)
            case .integer(let number): Self.key(of: Double(number))
            case .double(let number), .date(let number): Self.key(of: number)
            case .decimal(let number): Self.key(of: Double(number.description) ?? 0)
            case .string(let text), .uri(let text): .text(text)
            default: .other(value)
            }
    }

    /// The decimal nearest to a tiny number is zero, and the two are equal to a predicate.
    private static func key(of number: Double) -> PendingKey {
        if number.isNaN { return .number(Double.nan.bitPattern) }
        return .number(number.magnitude < 1e-100 ? 0 : number.bitPattern)
    }
}

extension ManagedObject {
    /// Notes that the object's values change, if a table of keys has them.
    @inline(__always)
    final func expireKeys() {
        if flags.contains(.keyed) { leaveKeys() }
    }

    @inline(never)
    private final func leaveKeys() {
        flags.subtract(.keyed)
        home.withContext { $0.pendingKeys.expire(self) }
    }
}
