import AnabranchReplication

/// Writes JSON, member by member, in the given order.
struct JSONText {
    private(set) var text = ""
    /// True for each open level if its next member or element needs a comma.
    private var needsComma = [false]

    static func object(_ body: (inout JSONText) -> Void) -> String {
        var json = JSONText()
        json.object(body)
        return json.text
    }

    mutating func object(_ body: (inout JSONText) -> Void) { nested("{", "}", body) }
    mutating func array(_ body: (inout JSONText) -> Void) { nested("[", "]", body) }

    mutating func object(_ name: String, _ body: (inout JSONText) -> Void) {
        key(name)
        object(body)
    }

    mutating func array(_ name: String, _ body: (inout JSONText) -> Void) {
        key(name)
        array(body)
    }

    mutating func key(_ name: String) {
        separate()
        text += Self.quoted(name) + ":"
        needsComma[needsComma.count - 1] = false
    }

    /// Appends text that is JSON already.
    mutating func raw(_ json: String) {
        separate()
        text += json
    }

    mutating func string(_ value: String) { raw(Self.quoted(value)) }
    mutating func null() { raw("null") }

    mutating func member(_ name: String, _ value: String?) {
        member(name, raw: value.map(Self.quoted) ?? "null")
    }

    mutating func member(_ name: String, _ values: [String]) {
        array(name) { json in for value in values { json.string(value) } }
    }

    mutating func member(_ name: String, _ value: (some BinaryInteger)?) {
        member(name, raw: value.map { String($0) } ?? "null")
    }

    mutating func member(_ name: String, raw json: String) {
        key(name)
        raw(json)
    }

    mutating func member(_ name: String, _ value: Bool) {
        member(name, raw: value ? "true" : "false")
    }

    private mutating func nested(
        _ open: String, _ close: String, _ body: (inout JSONText) -> Void
    ) {
        separate()
        text += open
        needsComma.append(false)
        body(&self)
        needsComma.removeLast()
        text += close
    }

    private mutating func separate() {
        if needsComma[needsComma.count - 1] { text += "," }
        needsComma[needsComma.count - 1] = true
    }

    static func quoted(_ value: String) -> String {
        var bytes: [UInt8] = []
        JSONString.append(value, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
