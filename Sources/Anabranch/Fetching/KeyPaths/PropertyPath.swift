import AnabranchModel
import AnabranchReplication

/// The names of the properties that a Swift key path reads, one after another.
struct PropertyPath {
    /// The names, with `@count` at the end for the number of objects of a to-many relationship;
    /// empty for the object itself.
    let keys: [String]
    /// The value at the end of the path.
    let expression: FetchExpression

    /// The steps, to continue a path.
    var steps: [PathStep] {
        keys.map { $0 == "@count" ? .collectionOperator("count") : .key($0) }
    }

    /// Reads the names from a key path.
    ///
    /// A computed property of the class counts as the stored property that it returns unchanged.
    /// The names of a literal are read once, see ``KnownPropertyPaths``.
    ///
    /// - Throws: `FetchPredicateError` with code `notAProperty` for a key path that is not a chain
    ///   of properties, such as one to a property that computes its value.
    init(_ keyPath: AnyKeyPath, of type: ManagedObject.Type) throws(FetchPredicateError) {
        if let known = KnownPropertyPaths.path(of: keyPath, type) {
            self = known
            return
        }
        let names = PropertyProbe.apply(keyPath, to: type) { probe, result in
            Self.names(read: probe, result, by: keyPath)
        }
        guard let names = names ?? nil else { throw Self.refusal(of: keyPath, type) }
        keys = names.flatMap { $0.split(separator: ".").map(String.init) }
        expression =
            keys.isEmpty
            ? FetchExpression(.evaluatedObject) : .keyPath(keys.joined(separator: "."))
        KnownPropertyPaths.keep(self, of: keyPath, type)
    }

    private static func names(
        read probe: PropertyProbe, _ result: Any, by keyPath: AnyKeyPath
    ) -> [String]? {
        var targets: [String] = []
        for (index, read) in probe.reads.enumerated() {
            // Each read is one of the object to which the read before it led.
            guard read.object == index else { return nil }
            let slotNames = type(of: probe.objects[index]).slotNames
            switch read.access {
            case .target(let slot): targets.append(slotNames[slot])
            default:
                guard index == probe.reads.count - 1,
                    let name = lastName(read, in: slotNames, probe, result, by: keyPath)
                else { return nil }
                return targets + [name]
            }
        }
        guard let last = probe.objects.last else { return nil }
        if let object = result as? ManagedObject { return object === last ? targets : nil }
        if let id = result as? ManagedObjectID { return id == last.objectID ? targets : nil }
        guard let view = result as? any RelationshipView, view.owner === last else { return nil }
        return targets + [type(of: last).slotNames[view.slot]]
    }

    /// The name of the last property, if its value is the result.
    private static func lastName(
        _ read: PropertyProbe.Read, in slotNames: [String], _ probe: PropertyProbe, _ result: Any,
        by keyPath: AnyKeyPath
    ) -> String? {
        let check = ResultCheck(
            keyPath: keyPath, type: type(of: probe.objects[0]), reads: probe.reads)
        guard let value = type(of: keyPath).valueType as? any AttributeValue.Type else {
            guard case .composite(let name) = read.access else { return nil }
            return check.compositePath(in: name, of: type(of: probe.objects[read.object]))
        }
        guard check.isAbsent(result, value) else { return nil }
        switch read.access {
        case .target: return nil
        case .slot(let slot): return check.isValue(of: slot, value) ? slotNames[slot] : nil
        case .count(let slot):
            return check.isValue(of: slot, value) ? slotNames[slot] + ".@count" : nil
        case .composite(let name):
            let elements = PropertyProbe.elements(
                of: name, in: type(of: probe.objects[read.object]))
            let found = elements.filter { check.isValue(of: $0.slot, value, isCertain: true) }
            return found.count == 1 ? "\(name).\(found[0].name)" : nil
        }
    }

    private static func refusal(
        of keyPath: AnyKeyPath, _ type: ManagedObject.Type
    ) -> FetchPredicateError {
        FetchPredicateError(
            .notAProperty, entity: type.entityName,
            "Can't use a key path from \(type) to \(Swift.type(of: keyPath).valueType) because it "
                + "is not a chain of stored properties; compare the properties from which it is "
                + "computed, or filter the fetched objects.")
    }
}

/// Compares the result of a key path with values that are put into a slot.
private struct ResultCheck {
    let keyPath: AnyKeyPath
    let type: ManagedObject.Type
    let reads: [PropertyProbe.Read]

    /// Returns true if a result is what a property without a value reads.
    func isAbsent<V: AttributeValue>(_ result: Any, _: V.Type) -> Bool {
        guard let result = result as? V else { return false }
        return PropertyMarks.absentValues(of: V.self).contains(try? result.attributeValue)
    }

    /// Returns true if the key path reads each of some values from a slot of the last object.
    ///
    /// - Parameter isCertain: True if there must be such values. The values of an enumeration of
    ///   texts can't be found.
    func isValue<V: AttributeValue>(of slot: Int, _: V.Type, isCertain: Bool = false) -> Bool {
        let marks = PropertyMarks.values(of: V.self)
        if marks.isEmpty { return !isCertain }
        return marks.allSatisfy { value in
            apply(marking: slot, by: value) { probe, result in
                guard probe.reads == reads, let result = result as? V else { return false }
                return (try? result.attributeValue) == value
            } ?? false
        }
    }

    /// Returns the path of the composite attribute that the key path reads, within the one that it
    /// reads first.
    func compositePath(in name: String, of type: ManagedObject.Type) -> String? {
        var paths: Set<String> = []
        for (slot, element) in PropertyProbe.elements(of: name, in: type) {
            for value in PropertyMarks.ofEveryType {
                let path = apply(marking: slot, by: value) { _, result in
                    (result as? any CompositeValue)?.path(to: value, in: "\(name).\(element)")
                }
                if let path { paths.insert(path) }
            }
        }
        return paths.count == 1 ? paths.first : nil
    }

    private func apply<Result>(
        marking slot: Int, by value: PropertyValue, _ body: (PropertyProbe, Any) -> Result?
    ) -> Result? {
        let mark = PropertyProbe.Mark(object: reads.count - 1, slot: slot, value: value)
        return PropertyProbe.apply(keyPath, to: type, marking: mark, body) ?? nil
    }
}
