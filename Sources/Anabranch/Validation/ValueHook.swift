import AnabranchReplication

/// Which classes have a `validateValue(_:forKey:)` of their own.
///
/// A save asks for each property of each object, so it does that of such classes only; at all
/// others it looks at the values itself. Swift does not tell who overrides a method. But the
/// methods of a class are entries of a table in its metadata, which stand at the same places in
/// the tables of all classes below it. The place of this one is found by looking: there, a class
/// that overrides only this method differs from `ManagedObject`, and a class that overrides
/// nothing does not. Where looking finds no such place, or two, every class counts as having a
/// method of its own: that costs time and nothing else.
enum ValueHook {
    static func isOverridden(by type: ManagedObject.Type) -> Bool {
        if type == ManagedObject.self { return false }
        guard let place else { return true }
        return word(place, of: type) != word(place, of: ManagedObject.self)
    }

    private static let place: Int? = {
        let places = (0..<searchedWords).filter { place in
            let original = word(place, of: ManagedObject.self)
            return word(place, of: PlainClass.self) == original
                && word(place, of: ValidatingClass.self) != original
        }
        return places.count == 1 ? places[0] : nil
    }()

    /// Fewer than the metadata of `ManagedObject` has on any platform: 7 for every class, one for
    /// each of its stored properties, and one for each method that may be overridden.
    private static let searchedWords = 26

    private static func word(_ place: Int, of type: ManagedObject.Type) -> UInt {
        unsafeBitCast(type, to: UnsafePointer<UInt>.self)[place]
    }
}

private class PlainClass: ManagedObject {}

private class ValidatingClass: ManagedObject {
    override func validateValue(_ value: inout Value, forKey key: String) throws { value = .null }
}
