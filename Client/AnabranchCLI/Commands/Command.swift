/// A subcommand of the program `anabranch`.
protocol Command {
    static var specification: CommandSpecification { get }

    /// Reads the parsed arguments.
    ///
    /// - Throws: ``UsageError`` for arguments that contradict each other.
    init(_ arguments: ParsedArguments) throws(UsageError)

    func run(_ console: Console) async throws
}
