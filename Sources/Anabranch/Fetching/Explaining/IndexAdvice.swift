/// An index that would save a request the scan of a table, alone or with others.
package struct IndexAdvice: Hashable, Sendable {
    /// The name of the entity that should declare the index.
    package let entity: String
    /// The properties, the leading one first.
    package let properties: [String]

    /// The line of an entity that is declared in Swift: `IndexDeclaration("name", on: "name")`.
    package var declaration: String {
        let name = properties.joined(separator: "_").replacing(".", with: "_")
        let names = properties.map { "\"\($0)\"" }.joined(separator: ", ")
        return "IndexDeclaration(\"\(name)\", on: \(names))"
    }

    /// The line of a class with `@Entity`, if the class is named as the entity is:
    /// `#Index<Person>([\.age, \.name])`.
    ///
    /// It is `nil` for an element of a composite attribute, which only
    /// ``declaration`` can index.
    package var macro: String? {
        guard !properties.contains(where: { $0.contains(".") }) else { return nil }
        let names = properties.map { "\\.\($0)" }.joined(separator: ", ")
        return "#Index<\(entity)>([\(names)])"
    }
}

extension IndexAdvice: CustomStringConvertible {
    /// The advice as a sentence.
    package var description: String {
        let inClass = macro.map { ", or \($0) in a class" } ?? ""
        return "A whole table is read. An index of \(entity) would lead to the rows: "
            + "\(declaration)\(inClass)"
    }
}
