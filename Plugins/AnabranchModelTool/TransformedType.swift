import AnabranchModel

/// The Swift type of a transformable attribute's property, as the model names it.
///
/// The model does not say if a type of the app is public, and a public property of an internal type
/// does not compile. Therefore only properties of standard types are public; other properties have
/// the default access.
struct TransformedType {
    /// The name without `?`; `nil` if the model names no type.
    private let name: String?
    private let words: Set<String>

    /// Reads the type of a transformable attribute; `nil` for any other attribute.
    init?(_ attribute: AttributeDescription) {
        guard attribute.type == .transformable else { return nil }
        let text = attribute.declaration.valueClassName?.filter { !$0.isWhitespace } ?? ""
        // A leading dot, as in `.Colour`, means the current module, as with the classes of
        // entities.
        let name = text.drop { $0 == "." }.trimmingSuffix { $0 == "?" }
        self.name = name.isEmpty ? nil : String(name)
        words = Set(
            name.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
    }

    /// The type in the source, optional because a property without a value reads nil.
    ///
    /// Without a type it is the bytes, which `transformedValue(forKey:as:)` reads.
    var source: String { (name ?? "Data") + "?" }

    /// The argument label of the subscript of `ManagedObject`.
    var label: String { name == nil ? "slot" : "transformable" }

    var isStandard: Bool {
        words.allSatisfy { Self.swiftTypes.contains($0) || Self.isFoundations($0) }
    }

    /// True if the property is public and its type comes from Foundation, at least in part.
    var isFoundations: Bool {
        name == nil || isStandard && words.contains(where: Self.isFoundations)
    }

    private static func isFoundations(_ word: String) -> Bool {
        word.hasPrefix("NS") || foundationTypes.contains(word)
    }

    private static let swiftTypes: Set<String> = [
        "Any", "AnyHashable", "Array", "Bool", "Character", "ClosedRange", "Dictionary", "Double",
        "Float", "Int", "Int8", "Int16", "Int32", "Int64", "Optional", "Range", "Set", "String",
        "Substring", "Swift", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
    ]

    private static let foundationTypes: Set<String> = [
        "AttributedString", "Calendar", "CharacterSet", "Data", "Date", "DateComponents",
        "DateInterval", "Decimal", "Foundation", "IndexPath", "IndexSet", "Locale",
        "PersonNameComponents", "TimeInterval", "TimeZone", "URL", "URLComponents", "UUID",
    ]
}

extension Substring {
    fileprivate func trimmingSuffix(while isCut: (Character) -> Bool) -> Substring {
        var rest = self
        while let last = rest.last, isCut(last) { rest.removeLast() }
        return rest
    }
}
