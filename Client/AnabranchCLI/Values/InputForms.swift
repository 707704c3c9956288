import Anabranch

/// The reason why a cell of an input is no value, as a sentence.
struct ValueRefusal: Error {
    let message: String
}

/// A value of an input.
struct InputValue {
    let value: PropertyValue
    /// True for a time without an offset that was read as UTC because no zone is given.
    var isZoneAssumed = false
}

/// The forms in which an input writes its values, and the one conversion of its cells.
///
/// Texts of CSV, texts of JSON and numbers of JSON mean the same. A form changes only how numbers
/// and times are written; everything else is as in ``ValueText``.
struct InputForms {
    /// `nil` for the numbers that ``ValueText`` reads.
    private(set) var numbers: NumberForm?
    private var times = TimeForm.iso8601
    private var timesByAttribute: [String: TimeForm] = [:]
    /// `nil` for UTC, which a report then mentions.
    private(set) var zone: LocalZone?

    static let options = [
        OptionSpecification(
            "dates", "[ATTRIBUTE=]FORM",
            "The form of dates, of one attribute or of all: iso8601, seconds-since-1970, "
                + "seconds-since-2001, milliseconds-since-1970, or a pattern, such as 'dd.MM.yyyy "
                + "HH:mm', 'M/d/yy h:mm a' or 'yyyyMMdd'.", isRepeated: true),
        OptionSpecification(
            "time-zone", "ZONE",
            "The zone of times without an offset, such as Europe/Berlin or +02:00; UTC by "
                + "default."),
        OptionSpecification(
            "decimal", "CHARACTER",
            "The decimal separator of numbers, ',' or '.'. With it, digits before the separator "
                + "may be in groups of three: 1.234,5."),
    ]

    /// Reads the options.
    ///
    /// - Throws: ``UsageError`` for a form that does not exist, or of an attribute that has no
    ///   dates.
    init(of entity: EntityDescription, arguments: ParsedArguments) throws(UsageError) {
        if let text = arguments.text("decimal") { numbers = try NumberForm(text, arguments) }
        if let text = arguments.text("time-zone") { zone = try LocalZone(text, arguments) }
        var isGeneralGiven = false
        for text in arguments.texts("dates") {
            guard let equals = text.firstIndex(of: "=") else {
                guard !isGeneralGiven else {
                    throw arguments.error(
                        "--dates is given twice. Type --dates ATTRIBUTE=FORM for one attribute.")
                }
                times = try TimeForm(text, arguments)
                isGeneralGiven = true
                continue
            }
            let name = String(text[..<equals])
            guard let property = entity.property(named: name) else {
                throw EntityNames.unknown(name, of: entity, command: arguments.command)
            }
            guard property.attribute?.type == .date else {
                throw arguments.error("--dates is for dates, and \(entity.name).\(name) is none.")
            }
            guard timesByAttribute[name] == nil else {
                throw arguments.error("--dates is given twice for \(name).")
            }
            let form = String(text[text.index(after: equals)...])
            timesByAttribute[name] = try TimeForm(form, arguments)
        }
    }

    /// Reads a cell for an attribute of the entity.
    ///
    /// An empty field of a table is null, and so is one in quotes for a type without an empty
    /// text.
    ///
    /// - Throws: ``ValueRefusal`` if the cell is no value of the attribute's type.
    func read(
        _ content: InputRow.Content, for attribute: AttributeDescription
    ) throws(ValueRefusal) -> InputValue {
        let type = attribute.type
        let form = timesByAttribute[attribute.name] ?? times
        switch content {
        case .text("", let isQuoted):
            let emptyTypes: Set<AttributeType> = [.string, .uri, .binary, .transformable]
            guard isQuoted, emptyTypes.contains(type) else { return InputValue(value: .null) }
            return try read("", as: type, form)
        case .text(let text, _), .json(.string(let text)): return try read(text, as: type, form)
        case .json(.number(let text)) where type == .date:
            return try time(text, number: text, form)
        case .json(let json):
            guard let value = ValueText.read(json, as: type) else {
                throw refusal(Self.shown(json), as: type)
            }
            return InputValue(value: value)
        }
    }

    /// Reads a text for an attribute of any entity.
    ///
    /// - Throws: ``ValueRefusal`` if the text is no value of the type.
    func read(_ text: String, as type: AttributeType) throws(ValueRefusal) -> InputValue {
        try read(text, as: type, times)
    }

    private func read(
        _ text: String, as type: AttributeType, _ form: TimeForm
    ) throws(ValueRefusal) -> InputValue {
        let number = numbers.map { $0.canonical(text) } ?? text
        if type == .date { return try time(text, number: number, form) }
        let canonical = type.isNumeric ? number : text
        guard let value = canonical.flatMap({ ValueText.read($0, as: type) }) else {
            throw refusal("'\(ValueCheck.shown(text))'", as: type, hint(text, type))
        }
        return InputValue(value: value)
    }

    /// The text of a number of JSON, as this input writes numbers in texts.
    func text(ofNumber number: String, as type: AttributeType) -> String {
        guard type.isNumeric, let numbers else { return number }
        return numbers.text(ofNumber: number)
    }

    private static func shown(_ json: JSONValue) -> String {
        switch json {
        case .number(let text), .string(let text): "'\(ValueCheck.shown(text))'"
        case .null, .bool, .array, .object: json.kind
        }
    }

    private func refusal(
        _ shown: String, as type: AttributeType, _ hint: String = ""
    ) -> ValueRefusal {
        ValueRefusal(message: "\(shown) is not \(ValueText.form(of: type)).\(hint)")
    }
}
