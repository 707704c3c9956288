/// Reads the objects of a JSON file: an array, a sequence (JSON Lines), or an array in a member of
/// one object.
struct JSONRowReader: RowReader {
    private enum Layout { case lines, array, ended }

    private let parser: JSONParser
    /// The member that contains the array; `nil` if the array or the objects are outermost.
    private let member: String?
    private var layout: Layout
    private var isFirst = true

    var columns: [String]? { nil }

    /// Opens an input.
    ///
    /// - Parameter member: The name of the member that contains the array; `nil` if the array or
    ///   the objects are outermost.
    init(_ source: ByteSource, member: String? = nil) throws {
        parser = JSONParser(source)
        self.member = member
        layout = .lines
        if let member {
            try enter(member)
            layout = .array
        } else if try parser.peekToken() == UInt8(ascii: "[") {
            _ = try source.next()
            layout = .array
        }
    }

    /// Reads up to the first element of the array in a member of the outermost object.
    private func enter(_ member: String) throws {
        try parser.expect("{", "an object with the member '\(member)'")
        while true {
            let name = try parser.memberName()
            if name == member { break }
            _ = try parser.value()
            if try parser.separator(closing: "}") {
                throw parser.error("The object has no member '\(member)'.")
            }
        }
        try parser.expect("[", "an array")
    }

    /// Reads the rest after the array, and refuses a file that is truncated or contains more.
    private func leave() throws {
        if let member {
            while try !parser.separator(closing: "}") {
                let name = try parser.memberName()
                guard name != member else {
                    throw parser.error("The object has two members '\(member)'.")
                }
                _ = try parser.value()
            }
        }
        guard try parser.peekToken() == nil else { throw try parser.unexpected("the end") }
    }

    mutating func next() throws -> InputRow? {
        switch layout {
        case .ended: return nil
        case .lines:
            guard try parser.peekToken() != nil else {
                layout = .ended
                return nil
            }
        case .array:
            guard try !isAtEnd() else {
                try leave()
                layout = .ended
                return nil
            }
        }
        isFirst = false
        let place = parser.source.place
        guard case .object(let members) = try parser.value() else {
            throw parser.error("A record has to be an object, as {\"name\": \"value\"}.", at: place)
        }
        return try row(members, place)
    }

    private func isAtEnd() throws -> Bool {
        if isFirst {
            guard try parser.peekToken() == UInt8(ascii: "]") else { return false }
            _ = try parser.source.next()
            return true
        }
        return try parser.separator(closing: "]")
    }

    private func row(_ members: [JSONMember], _ place: InputPlace) throws -> InputRow {
        var seen: Set<String> = []
        for member in members where !seen.insert(member.name).inserted {
            throw InputError(
                file: parser.source.name, place: member.place, field: member.name,
                message: "The object has two members of this name.")
        }
        let cells = members.map {
            InputRow.Cell(name: $0.name, content: .json($0.value), place: $0.place)
        }
        return InputRow(cells: cells, place: place)
    }
}
