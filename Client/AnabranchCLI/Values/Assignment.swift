import Anabranch

/// A change of one property, parsed from a word like `name=Paris`.
///
/// An attribute takes a value, and a to-one relationship takes the record that a selector names. A
/// to-many relationship gains (`members+=alpha2=FR`) or loses (`members-=alpha2=FR`) a record. The
/// option `--null` removes the value of an attribute or all records of a relationship.
struct Assignment {
    enum Operation { case set, add, remove, clear }

    static let nullOption = OptionSpecification(
        "null", "NAME", "Removes the value of the property.", isRepeated: true)

    let name: String
    let operation: Operation
    let text: String
    private let command: String

    /// Parses a word.
    ///
    /// - Throws: ``UsageError`` for a word without an equals sign.
    init(_ word: String, command: String) throws(UsageError) {
        guard let equals = word.firstIndex(of: "="), equals != word.startIndex else {
            throw UsageError("'\(word)' is not a change. Type NAME=VALUE.", command: command)
        }
        let before = word[..<equals]
        switch before.last {
        case "+": operation = .add
        case "-": operation = .remove
        default: operation = .set
        }
        name = String(operation == .set ? before : before.dropLast())
        text = String(word[word.index(after: equals)...])
        self.command = command
    }

    /// Parses the name of a property that loses its value.
    init(clearing name: String, command: String) {
        self.name = name
        operation = .clear
        text = ""
        self.command = command
    }

    /// The changes of a command line: the words and the options `--null`.
    ///
    /// - Throws: ``UsageError`` for a word without an equals sign, and for a property that gets a
    ///   value, or loses it, and is changed once more.
    static func all(
        _ words: some Sequence<String>, _ arguments: ParsedArguments
    ) throws(UsageError) -> [Assignment] {
        var all: [Assignment] = []
        for word in words { all.append(try Assignment(word, command: arguments.command)) }
        for name in arguments.texts("null") {
            all.append(Assignment(clearing: name, command: arguments.command))
        }
        let changes = Dictionary(grouping: all, by: \.name)
        for change in all where change.operation == .set || change.operation == .clear {
            guard changes[change.name]?.count == 1 else {
                throw arguments.error("\(change.name) is given twice.")
            }
        }
        return all
    }

    /// Applies several changes.
    ///
    /// - Throws: One error with the messages of all refused changes, so that the user can correct
    ///   all of them at once. An error of the store is thrown alone.
    static func apply(
        _ assignments: [Assignment], to object: ManagedObject, in context: ManagedObjectContext
    ) throws {
        var refusals: [any Error] = []
        for assignment in assignments {
            do {
                try assignment.apply(to: object, in: context)
            } catch let error where error is UsageError || error is CommandFailure {
                refusals.append(error)
            }
        }
        guard let first = refusals.first else { return }
        guard refusals.count > 1 else { throw first }
        let messages = refusals.compactMap { refusal in
            (refusal as? UsageError)?.message ?? (refusal as? CommandFailure)?.message
        }.joined(separator: "\n")
        if let usage = refusals.lazy.compactMap({ $0 as? UsageError }).first {
            throw UsageError(messages, command: usage.command)
        }
        throw CommandFailure(.data, messages)
    }

    private func apply(to object: ManagedObject, in context: ManagedObjectContext) throws {
        guard let property = object.entity.property(named: name) else {
            throw EntityNames.unknown(name, of: object.entity, command: command)
        }
        switch property {
        case .attribute where operation == .clear: try object.setValue(.null, forKey: name)
        case .attribute(let attribute): try set(attribute, of: object)
        case .relationship(let relationship): try change(relationship, of: object, in: context)
        }
    }

    private func set(_ attribute: AttributeDescription, of object: ManagedObject) throws {
        guard operation == .set else {
            throw UsageError(
                "\(object.entity.name).\(name) is an attribute. Type \(name)=VALUE.",
                command: command)
        }
        guard let value = ValueText.read(text, as: attribute.type) else {
            throw UsageError(
                "\(object.entity.name).\(name) takes \(ValueText.form(of: attribute.type)), not "
                    + "'\(text)'.", command: command)
        }
        if let refusal = ValueCheck.refusal(of: value, by: attribute) {
            throw CommandFailure(.data, "Can't set \(object.entity.name).\(name). \(refusal)")
        }
        try object.setValue(value, forKey: name)
    }

    private func change(
        _ relationship: RelationshipDescription, of object: ManagedObject,
        in context: ManagedObjectContext
    ) throws {
        if operation == .clear { return try clear(relationship, of: object) }
        guard relationship.isToMany == (operation != .set) else {
            let form =
                relationship.isToMany ? "\(name)+=RECORD or \(name)-=RECORD" : "\(name)=RECORD"
            throw UsageError(
                "\(object.entity.name).\(name) is a relationship. Type \(form), with an ID or "
                    + "attribute=value for RECORD.", command: command)
        }
        let other = try RecordSelector(text: text, command: command)
            .object(of: relationship.destination, in: context)
        switch operation {
        case .set: try object.setObject(other, forKey: name)
        case .add: try object.objects(forKey: name).insert(other)
        case .remove: try object.objects(forKey: name).remove(other)
        case .clear: break
        }
    }

    private func clear(_ relationship: RelationshipDescription, of object: ManagedObject) throws {
        if relationship.isToMany {
            try object.objects(forKey: name).removeAll()
        } else {
            try object.setObject(nil, forKey: name)
        }
    }
}
