import Anabranch

/// Finds records by the values of one attribute, in few fetches.
struct KeyIndex {
    private(set) var objects: [PropertyValue: ManagedObject] = [:]
    /// Keys that more than one record has.
    private(set) var ambiguous: Set<PropertyValue> = []

    /// The greatest number of keys in one fetch.
    private static let fetchedKeys = 500

    /// Fetches the records with some keys.
    ///
    /// - Parameter keys: Null is not a key.
    init(
        _ keys: Set<PropertyValue>, of attribute: AttributeDescription,
        in entity: EntityDescription,
        context: ManagedObjectContext
    ) throws {
        let wanted = keys.filter { !$0.isNull }
        var rest = Array(wanted)[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(Self.fetchedKeys))
            rest = rest.dropFirst(piece.count)
            var request = FetchRequest<ManagedObject>(entityName: entity.name)
            request.predicate = try FetchPredicate("%K IN %@", attribute.name, piece)
            for object in try context.fetch(request) {
                add(object, as: try object.value(forKey: attribute.name))
            }
        }
    }

    init() {}

    mutating func add(_ object: ManagedObject, as key: PropertyValue) {
        guard !key.isNull else { return }
        if let held = objects[key], held !== object { ambiguous.insert(key) }
        objects[key] = object
    }
}
