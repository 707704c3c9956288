/// An error in an input file, with its position.
struct InputError: Error, CustomStringConvertible {
    /// The path as it was typed, or `standard input`.
    let file: String
    var place: InputPlace?
    /// The name of the column of a table, or of the member of an object.
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

/// A position in a text file.
struct InputPlace: Hashable, Comparable {
    /// The line from 1.
    var line: Int
    /// The column from 1, in Unicode scalars.
    var column: Int

    static func < (left: InputPlace, right: InputPlace) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
