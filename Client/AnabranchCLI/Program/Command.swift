/// One subcommand: its words, and what it does.
protocol Command {
    static var specification: CommandSpecification { get }

    /// - Throws: ``UsageError`` for words that don't go together.
    init(_ arguments: ParsedArguments) throws(UsageError)

    func run(_ console: Console) async throws
}
