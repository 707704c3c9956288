/// A JSON value as it was written: numbers keep their text, members their order.
indirect enum JSONValue: Hashable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])

    /// The kind of the value, for messages.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a text"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

struct JSONMember: Hashable {
    let name: String
    let value: JSONValue
    let place: InputPlace
}
