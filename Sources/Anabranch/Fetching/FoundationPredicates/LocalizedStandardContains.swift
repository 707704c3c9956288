import AnabranchModel
public import Foundation

#if !canImport(Darwin)
    extension PredicateExpressions {
        /// `text.localizedStandardContains(part)`, which Foundation lacks on Linux: a search that
        /// ignores case and diacritical marks.
        public struct LocalizedStandardContains<
            Text: PredicateExpression, Part: PredicateExpression
        >: PredicateExpression where Text.Output == String, Part.Output == String {
            /// The text that is searched.
            public let text: Text
            /// The text that is looked for.
            public let part: Part

            /// Returns true if the text contains the part.
            public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
                try text.evaluate(bindings).localizedStandardContains(part.evaluate(bindings))
            }
        }

        /// Makes the operation for the macro `#Predicate`.
        public static func build_localizedStandardContains<Text, Part>(
            _ text: Text, _ part: Part
        ) -> LocalizedStandardContains<Text, Part> {
            LocalizedStandardContains(text: text, part: part)
        }
    }

    extension PredicateExpressions.LocalizedStandardContains: Sendable
    where Text: Sendable, Part: Sendable {}

    extension PredicateExpressions.LocalizedStandardContains: Codable
    where Text: Codable, Part: Codable {}

    extension PredicateExpressions.LocalizedStandardContains: StandardPredicateExpression
    where Text: StandardPredicateExpression, Part: StandardPredicateExpression {}

    extension PredicateExpressions.LocalizedStandardContains: ConvertiblePredicateExpression {
        func converted(
            by conversion: PredicateConversion
        ) throws(FetchPredicateError) -> Counterpart {
            let (text, part) = (try conversion.value(text), try conversion.value(part))
            return .condition(
                text.compared(.contains, part, [.caseInsensitive, .diacriticInsensitive]))
        }
    }
#endif
