/// What a command's words mean: the source of its parsing and of its help.
struct CommandSpecification {
    let name: String
    /// One line, a verb first, with a full stop.
    let summary: String
    /// Paragraphs below the usage line.
    var discussion: [String] = []
    var arguments: [ArgumentSpecification] = [.store]
    var options: [OptionSpecification] = []
    /// Command lines without the program's name, each with what it does.
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

/// A word that is told by its place.
struct ArgumentSpecification {
    let name: String
    let summary: String
    var isRequired = true
    /// Whether it takes all words that are left; only the last argument may.
    var isRepeated = false
    /// Whether it is a file's name, which by itself can't be told from that of a store.
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
        "STORE", "The store's file. Left out where ANABRANCH_STORE or --store names it.")
    static let entity = ArgumentSpecification("ENTITY", "The name of an entity of the model.")
}

/// A word that begins with dashes, with or without a value.
struct OptionSpecification {
    /// Without the dashes.
    let name: String
    /// What stands for the value in the help; `nil` for a flag.
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
        "store", "FILE", "Names the store, in place of STORE and of ANABRANCH_STORE.")
    static let json = OptionSpecification.flag(
        "json", "Prints JSON for programs: one object a line.")
    static let help = OptionSpecification.flag("help", "Prints this text.", short: "h")
}
