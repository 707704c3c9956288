public import AnabranchModel
public import AnabranchReplication
public import Foundation

/// A value with an order in a store, for `<` and its relatives: `\.age > 18`.
///
/// A type of an app conforms if its raw values are in its order. The optional of such a type
/// conforms, and a missing value is neither less nor greater than another one.
public protocol OrderedArgument: PredicateArgument {}

extension Date: OrderedArgument {}
extension Decimal: OrderedArgument {}
extension Double: OrderedArgument {}
extension ExactDecimal: OrderedArgument {}
extension Float: OrderedArgument {}
extension Int: OrderedArgument {}
extension Int16: OrderedArgument {}
extension Int32: OrderedArgument {}
extension Int64: OrderedArgument {}
extension Optional: OrderedArgument where Wrapped: OrderedArgument {}
extension String: OrderedArgument {}
extension UUID: OrderedArgument {}
