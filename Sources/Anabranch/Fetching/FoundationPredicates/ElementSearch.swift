import AnabranchReplication

/// The search for the element of a composite attribute that a key path of its struct reads.
struct ElementSearch<Composite: CompositeValue> {
    private let keyPath: AnyKeyPath
    /// The elements, named by their paths within the composite attribute.
    private let names = Composite.elementNames(in: "").map { String($0.dropFirst()) }

    /// Returns the keys from the composite attribute to the element, or to the composite attribute
    /// inside it; `nil` if the key path computes its value.
    static func keys(of keyPath: AnyKeyPath, _: Composite.Type) -> [String]? {
        let search = ElementSearch(keyPath: keyPath)
        let found =
            if let type = type(of: keyPath).valueType as? any AttributeValue.Type {
                search.names.filter { search.reads($0, type) }
            } else {
                Set(search.names.compactMap(search.innerComposite)).sorted()
            }
        guard found.count == 1 else { return nil }
        return found[0].split(separator: ".").map(String.init)
    }

    private init(keyPath: AnyKeyPath) { self.keyPath = keyPath }

    /// Returns true if the key path reads each of some values from an element.
    private func reads<V: AttributeValue>(_ name: String, _: V.Type) -> Bool {
        let marks = PropertyMarks.values(of: V.self)
        return !marks.isEmpty
            && marks.allSatisfy { mark in
                guard let result = read(marking: name, by: mark) as? V else { return false }
                return (try? result.attributeValue) == mark
            }
    }

    /// Returns the first key of an element if the key path reads a composite attribute that has it.
    private func innerComposite(of name: String) -> String? {
        for mark in PropertyMarks.ofEveryType {
            guard let inner = read(marking: name, by: mark) as? any CompositeValue,
                let path = inner.path(to: mark, in: name)
            else { continue }
            return path
        }
        return nil
    }

    private func read(marking name: String, by mark: PropertyValue) -> Any? {
        var values = Dictionary(uniqueKeysWithValues: names.map { ($0, PropertyValue.null) })
        values[name] = mark
        return Composite(elements: CompositeElements(values))[keyPath: keyPath]
    }
}

extension CompositeValue {
    /// Returns the path of this composite attribute, if it has a value as an element.
    ///
    /// - Parameter name: The path of the element, which begins with that of this attribute.
    func path(to value: PropertyValue, in name: String) -> String? {
        var elements = CompositeElements()
        write(to: &elements)
        return elements.values.first { $0.value == value && name.hasSuffix("." + $0.key) }
            .map { String(name.dropLast($0.key.count + 1)) }
    }
}
