/// The setting that makes a text attribute searchable: the store keeps an index of its words.
///
/// The operator MATCHES with the option ``ComparisonOptions/search`` asks that index.
public struct TextSearch: Hashable, Sendable {
    /// The lengths of word beginnings that have an index of their own, in ascending order.
    ///
    /// A search for `syn*` is then as fast as one for a whole word, if 3 is among them. Each length
    /// makes the index greater. All searchable attributes of a hierarchy of entities have the
    /// lengths together.
    public let prefixLengths: [Int]

    /// Creates the setting.
    ///
    /// - Parameter prefixLengths: Lengths in characters, from 1 to 31.
    public init(prefixLengths: [Int] = []) { self.prefixLengths = Set(prefixLengths).sorted() }

    /// The greatest length of a word beginning with an index.
    package static let greatestPrefixLength = 31
}
