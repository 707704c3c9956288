import AnabranchModel
import AnabranchReplication

/// A struct that is the value of a composite attribute.
///
/// The macro ``Composite()`` makes a struct conform. A property of an entity's class has it with
/// the mark `@Attribute(.composite)`:
///
/// ```swift
/// @Composite
/// struct Address {
///     var street: String?
///     var city: String?
/// }
///
/// @Entity
/// final class Person: ManagedObject {
///     @Attribute(.composite) var address: Address?
/// }
/// ```
///
/// The property reads nil if no element has a value. So a struct with nil in all its properties
/// reads as nil after it was set; `address.city == nil` in a predicate finds both.
public protocol CompositeValue {
    /// The elements, for a model that is made from classes.
    static var compositeDeclaration: CompositeDeclaration { get }
    /// Creates the value from its elements.
    init(elements: CompositeElements)
    /// Sets every element of the value.
    func write(to elements: inout CompositeElements)
}

extension CompositeValue {
    /// The names of the slots of a composite attribute with this type.
    ///
    /// - Parameter name: The name of the composite attribute.
    public static func elementNames(in name: String) -> [String] {
        compositeDeclaration.composite(named: name).elementNames
    }
}

/// The paths of elements that were read with a type without a counterpart of their values.
private final class UnreadElements {
    var paths: [String] = []
}

/// The elements of a composite attribute while a struct is made from them, or sets them.
public struct CompositeElements {
    /// An element that no attribute can store.
    struct Failure {
        /// The name within the composite attribute.
        let name: String
        let error: AttributeValueError
    }

    /// The values by the elements' names, which are paths.
    private(set) var values: [String: PropertyValue]
    /// The first element that was not set.
    private(set) var failure: Failure?
    private let unread: UnreadElements?
    /// The path of these elements within the outermost composite attribute, with a dot at its end.
    private let path: String

    /// Creates elements without values.
    public init() { self.init([:], nil, at: "") }

    init(_ values: [String: PropertyValue]) { self.init(values, UnreadElements(), at: "") }

    private init(_ values: [String: PropertyValue], _ unread: UnreadElements?, at path: String) {
        self.values = values
        self.unread = unread
        self.path = path
    }

    /// The elements that were read with a type without a counterpart of their values.
    var unreadPaths: [String] { unread?.paths ?? [] }

    /// Takes over the values of elements that a struct could not read, where the struct was written
    /// with what it reads instead.
    mutating func keepUnread<T: CompositeValue>(of former: CompositeElements, by type: T.Type) {
        let read = T(elements: former)
        guard !former.unreadPaths.isEmpty else { return }
        var shown = CompositeElements()
        read.write(to: &shown)
        for path in former.unreadPaths where values[path] == shown.values[path] {
            values[path] = former.values[path]
        }
    }

    /// The element with that name; the type's `absent` value if it has none.
    public subscript<T: AttributeValue>(name: String) -> T {
        get {
            let value = values[name] ?? .null
            if let result = T.reading(value) { return result }
            if !value.isNull { unread?.paths.append(path + name) }
            return T.absent
        }
        set {
            do {
                values[name] = try newValue.attributeValue
            } catch {
                failure = failure ?? Failure(name: name, error: error)
            }
        }
    }

    /// The composite attribute with that name inside this one; `nil` if it has no value.
    public subscript<T: CompositeValue>(name: String) -> T? {
        get {
            let inner = elements(in: name)
            return inner.hasValue ? T(elements: inner) : nil
        }
        set {
            for key in elements(in: name).values.keys { values["\(name).\(key)"] = .null }
            if let newValue { write(newValue, to: name) }
        }
    }

    /// The composite attribute with that name inside this one. If it has no value, its elements
    /// read as their types' `absent` values.
    public subscript<T: CompositeValue>(name: String) -> T {
        get { T(elements: elements(in: name)) }
        set { write(newValue, to: name) }
    }

    var hasValue: Bool { values.values.contains { !$0.isNull } }

    private func elements(in name: String) -> CompositeElements {
        var inner: [String: PropertyValue] = [:]
        for (key, value) in values where key.hasPrefix(name + ".") {
            inner[String(key.dropFirst(name.count + 1))] = value
        }
        return CompositeElements(inner, unread, at: "\(path)\(name).")
    }

    private mutating func write(_ value: some CompositeValue, to name: String) {
        var inner = CompositeElements()
        value.write(to: &inner)
        for (key, value) in inner.values { values["\(name).\(key)"] = value }
        if let failed = inner.failure {
            failure = failure ?? Failure(name: "\(name).\(failed.name)", error: failed.error)
        }
    }
}

// An unavailable accessor, which the compiler chooses if no other one fits the type of an element.
extension CompositeElements {
    /// Unavailable: the type conforms neither to ``AttributeValue`` nor to ``CompositeValue``.
    @available(
        *, unavailable,
        message: """
            an element of a composite attribute has a type that conforms to AttributeValue, or is \
            a struct with @Composite
            """
    )
    public subscript<T>(name: String) -> T {
        get { preconditionFailure("An unavailable subscript was called.") }
        set { preconditionFailure("An unavailable subscript was called.") }
    }
}

extension ManagedObject {
    /// The composite attribute with that name, as a struct; `nil` if no element has a value.
    ///
    /// Each read makes the struct again; read it once before a loop. Setting it sets all its
    /// elements. For errors see ``subscript(slot:)``.
    public final subscript<T: CompositeValue>(composite name: String) -> T? {
        get {
            guard let elements = elements(named: name), elements.hasValue else { return nil }
            return read(elements, named: name)
        }
        set {
            var elements = CompositeElements()
            newValue?.write(to: &elements)
            set(elements, named: name, T.self)
        }
    }

    /// The composite attribute with that name, as a struct. If no element has a value, the elements
    /// read as their types' `absent` values.
    public final subscript<T: CompositeValue>(composite name: String) -> T {
        get { read(elements(named: name) ?? CompositeElements(), named: name) }
        set {
            var elements = CompositeElements()
            newValue.write(to: &elements)
            set(elements, named: name, T.self)
        }
    }

    private final func elements(named name: String) -> CompositeElements? {
        assert(isOnItsQueue, misuse("read"))
        if let probe = home.probe { return probe.elements(of: self, named: name) }
        guard let composite = entity.compositeAttribute(named: name) else { return nil }
        for attribute in composite.attributes where !flags.isReadable {
            prepareToRead(attribute.slot)
        }
        var values: [String: PropertyValue] = [:]
        for attribute in composite.attributes {
            values[composite.key(of: attribute)] = slots[attribute.slot]
        }
        return CompositeElements(values)
    }

    private final func read<T: CompositeValue>(
        _ elements: CompositeElements, named name: String
    ) -> T {
        let value = T(elements: elements)
        for path in elements.unreadPaths {
            managedObjectContext?.report(
                unknownValue(elements.values[path] ?? .null, of: "\(name).\(path)", T.self))
        }
        return value
    }

    private final func set<T: CompositeValue>(
        _ elements: CompositeElements, named name: String, _ type: T.Type
    ) {
        assert(isOnItsQueue, misuse("written"))
        guard let composite = entity.compositeAttribute(named: name) else { return }
        if let failure = elements.failure {
            return keep(refusal(failure.error, of: "\(name).\(failure.name)"))
        }
        do {
            var elements = elements
            for attribute in composite.attributes { try fireFaultToWrite(attribute.slot) }
            if let former = self.elements(named: name) { elements.keepUnread(of: former, by: type) }
            try setElements(elements.values, of: composite)
        } catch {
            keep(error)
        }
    }
}
