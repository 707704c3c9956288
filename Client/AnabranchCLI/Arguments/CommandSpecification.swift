/// The arguments and options of a command, from which its parser and its help are derived.
struct CommandSpecification {
    let name: String
    /// One line that begins with a verb and ends with a full stop.
    let summary: String
    /// The paragraphs below the usage line.
    var discussion: [String] = []
    var arguments: [ArgumentSpecification] = [.store]
    var options: [OptionSpecification] = []
    /// Command lines without the program's name, each with a description.
    var examples: [Example] = []

    struct Example {
        let words: String
        let meaning: String

        init(_ words: String, _ meaning: String) {
            self.words = words
            self.meaning = meaning
        }
    }
}

/// An argument that is identified by its position.
struct ArgumentSpecification {
    let name: String
    let summary: String
    var isRequired = true
    /// True if it takes all remaining words; allowed only for the last argument.
    var isRepeated = false
    /// True if the argument is a file name. It looks like a store's file name, so only the number
    /// of words shows whether STORE was typed before it.
    var isFile = false

    init(
        _ name: String, _ summary: String, isRequired: Bool = true, isRepeated: Bool = false,
        isFile: Bool = false
    ) {
        self.name = name
        self.summary = summary
        self.isRequired = isRequired
        self.isRepeated = isRepeated
        self.isFile = isFile
    }

    static let store = ArgumentSpecification(
        "STORE", "The store's file. Optional if ANABRANCH_STORE or --store names it.")
    static let entity = ArgumentSpecification("ENTITY", "The name of an entity.")
}

/// An option that begins with dashes, with or without a value.
struct OptionSpecification {
    /// The name without the dashes.
    let name: String
    /// The placeholder of the value in the help; `nil` for a flag.
    let placeholder: String?
    let summary: String
    var isRepeated = false
    var short: Character?

    init(
        _ name: String, _ placeholder: String?, _ summary: String, isRepeated: Bool = false,
        short: Character? = nil
    ) {
        self.name = name
        self.placeholder = placeholder
        self.summary = summary
        self.isRepeated = isRepeated
        self.short = short
    }

    static func flag(
        _ name: String, _ summary: String, short: Character? = nil
    ) -> OptionSpecification {
        OptionSpecification(name, nil, summary, short: short)
    }

    static let store = OptionSpecification(
        "store", "FILE", "The store's file, instead of STORE and ANABRANCH_STORE.")
    static let json = OptionSpecification.flag(
        "json", "Prints JSON for programs, one object a line.")
    static let help = OptionSpecification.flag("help", "Prints this text.", short: "h")
}
