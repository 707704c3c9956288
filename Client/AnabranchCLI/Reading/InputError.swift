/// What is wrong in an input file, and where.
struct InputError: Error, CustomStringConvertible {
    /// The path as it was typed, or `standard input`.
    let file: String
    var place: InputPlace?
    /// The column of a table or the member of an object, by name.
    var field: String?
    let message: String

    var description: String {
        var text = file
        if let place { text += ":\(place.line):\(place.column)" }
        text += ": "
        if let field { text += "field '\(field)': " }
        return text + message
    }
}

/// A place in a text file.
struct InputPlace: Hashable {
    /// From 1.
    var line: Int
    /// From 1, in characters as Unicode scalars.
    var column: Int
}
