import AnabranchModel

/// The form of the names that columns of a composite attribute's elements have.
///
/// Core Data documents that each element has a column of its own, but not its name. There are two
/// candidates. The column of `address.city` may be named by the path of the element,
/// `ZADDRESS_CITY`, or as that of any property by the element's own name, `ZCITY`. A source has one
/// of these forms: that of the path if it has such a column for any element.
enum ElementName {
    case path
    case own

    /// The column of a property, in capitals and without a number behind it.
    func column(of property: PropertyDescription) -> String {
        let steps = property.name.split(separator: ".", omittingEmptySubsequences: false)
        let name = self == .path ? steps.joined(separator: "_") : String(steps.last ?? "")
        return "Z" + name.uppercased()
    }

    /// The error that an element has no column.
    func missing(
        _ declaration: SourceLayout.Declaration, _ table: SourceTable, _ file: CoreDataFile
    ) -> ConversionError {
        let path = ElementName.path.column(of: declaration.property)
        let names =
            self == .path
            ? "no column \(path)"
            : "neither a column \(path) nor \(column(of: declaration.property))"
        return ConversionError(
            .notSupportedYet, path: file.files.path,
            "Can't convert \(file.files.path) because table \(table.name) has \(names) for "
                + "\(declaration.text), an element of a composite attribute. Give the model of "
                + "the version of the app that wrote the file.")
    }
}

extension SourceLayout {
    /// Finds the form that the source has.
    func elementName() -> ElementName {
        let hasPath = roots.indices.contains { position in
            let declarations = declarations(ofTable: position)
            let plain = Set(
                declarations.filter { !$0.property.isElement }
                    .map { ElementName.path.column(of: $0.property) })
            return declarations.contains { declaration in
                guard declaration.property.isElement else { return false }
                let name = ElementName.path.column(of: declaration.property)
                return roots[position].table.columns(named: name)
                    .contains { !plain.contains($0.uppercased()) }
            }
        }
        return hasPath ? .path : .own
    }

    /// Checks that the columns of elements are certain.
    ///
    /// Core Data adds numbers to names that several properties have. No rule says which property
    /// gets which number, and values of one element must not become those of another one.
    ///
    /// - Parameters:
    ///   - declarations: All properties with columns of one name.
    ///   - columns: The columns with that name, with or without a number.
    /// - Throws: ``ConversionError`` with the properties and the columns.
    func checkElements(
        _ declarations: [Declaration], among columns: [String], _ table: SourceTable,
        _ file: CoreDataFile
    ) throws {
        guard declarations.contains(where: \.property.isElement), !columns.isEmpty,
            columns.count > 1 || declarations.count > 1
        else { return }
        let names = columns.joined(separator: ", ")
        let properties = declarations.map(\.text).joined(separator: ", ")
        throw ConversionError(
            .notSupportedYet, path: file.files.path,
            "Can't convert \(file.files.path) because it is not certain which columns of table "
                + "\(table.name) the elements of composite attributes have: \(names) may belong "
                + "to \(properties). Move the values to plain attributes with the app, and "
                + "convert then.")
    }
}

extension PropertyDescription {
    /// True for an element of a composite attribute: no other property has a dot in its name.
    var isElement: Bool { name.utf8.contains(UInt8(ascii: ".")) }
}
