import Anabranch

/// The columns of a record as JSON, with the elements of a composite attribute in one object.
///
/// A column that belongs to no composite attribute, or to a related record, is a member itself.
struct NestedColumns {
    private enum Node {
        case content(RecordColumn.Content)
        case object(NestedColumns)
    }

    private var members: [(name: String, node: Node)] = []

    init(_ contents: [(column: RecordColumn, content: RecordColumn.Content)]) {
        for (column, content) in contents { add(content, at: column.memberPath[...]) }
    }

    private init() {}

    private mutating func add(_ content: RecordColumn.Content, at path: ArraySlice<String>) {
        guard let name = path.first else { return }
        guard path.count > 1 else {
            members.append((name, .content(content)))
            return
        }
        var inner = NestedColumns()
        let place = members.firstIndex { member in
            guard member.name == name, case .object(let present) = member.node else {
                return false
            }
            inner = present
            return true
        }
        inner.add(content, at: path.dropFirst())
        if let place {
            members[place].node = .object(inner)
        } else {
            members.append((name, .object(inner)))
        }
    }

    /// True if no column has a value. A composite attribute is then null, as it is in an object.
    private var isNull: Bool {
        members.allSatisfy { member in
            switch member.node {
            case .object(let inner): inner.isNull
            case .content(.value(.null)): true
            case .content: false
            }
        }
    }

    func write(to json: inout JSONText) {
        for (name, node) in members {
            json.key(name)
            switch node {
            case .content(let content): content.write(to: &json)
            case .object(let inner) where inner.isNull: json.null()
            case .object(let inner): json.object { inner.write(to: &$0) }
            }
        }
    }
}
