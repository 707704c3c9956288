public import AnabranchModel

/// A text, or an optional text, as the value of a property.
public protocol TextProperty {}

extension String: TextProperty {}
extension Optional: TextProperty where Wrapped == String {}

// Conditions on texts. Swift has no methods in key path literals, and so they follow a literal in
// parentheses: `(\Person.name).hasPrefix("A")`.
extension KeyPath where Root: ManagedObject, Value: TextProperty {
    /// Holds if the text begins with another one.
    ///
    /// - Parameter options: Such as `.caseInsensitive`.
    public func hasPrefix(
        _ text: String, _ options: ComparisonOptions = []
    ) -> ObjectPredicate<Root> { ObjectExpression(self).compared(.beginsWith, text, options) }

    /// Holds if the text ends with another one.
    public func hasSuffix(
        _ text: String, _ options: ComparisonOptions = []
    ) -> ObjectPredicate<Root> { ObjectExpression(self).compared(.endsWith, text, options) }

    /// Holds if the text contains another one.
    public func contains(
        _ text: String, _ options: ComparisonOptions = []
    ) -> ObjectPredicate<Root> { ObjectExpression(self).compared(.contains, text, options) }

    /// Holds if the text is equal to another one by the options.
    public func isEqual(
        to text: String, _ options: ComparisonOptions
    ) -> ObjectPredicate<Root> { ObjectExpression(self).compared(.equal, text, options) }

    /// Holds if the text matches a pattern, in which `*` stands for any run of characters and `?`
    /// for one.
    public func isLike(
        _ pattern: String, _ options: ComparisonOptions = []
    ) -> ObjectPredicate<Root> { ObjectExpression(self).compared(.like, pattern, options) }

    /// Holds if a search for words finds the text, of an attribute that is declared `.searchable`.
    ///
    /// - Parameter query: Words, as `TextQuery` describes them: `swift sync`, `"object graph"`,
    ///   `syn*`.
    public func matches(search query: String) -> ObjectPredicate<Root> {
        ObjectExpression(self).compared(.matches, query, .search)
    }

    /// Holds if the whole text matches a regular expression in ICU's syntax.
    public func matches(
        _ expression: String, _ options: ComparisonOptions = []
    ) -> ObjectPredicate<Root> { ObjectExpression(self).compared(.matches, expression, options) }
}
