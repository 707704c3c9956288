import AnabranchModel
public import Foundation

/// A time, or an optional time, as the value of a property.
public protocol TimeProperty {}

extension Date: TimeProperty {}
extension Optional: TimeProperty where Wrapped == Date {}

// Parts of times in the Gregorian calendar: `(\Note.date).year(in: .current) == 2026`. They are
// missing for no time, and outside of the years 1 to 9999.
extension KeyPath where Root: ManagedObject, Value: TimeProperty {
    /// The year of a time, in a time zone.
    public func year(in zone: TimeZone) -> ObjectExpression<Root, Int?> { part("year:in", zone) }

    /// The month of a time, from 1 to 12, in a time zone.
    public func month(in zone: TimeZone) -> ObjectExpression<Root, Int?> { part("month:in", zone) }

    /// The day of a time in its month, from 1 to 31, in a time zone.
    public func day(in zone: TimeZone) -> ObjectExpression<Root, Int?> { part("day:in", zone) }

    private func part(_ function: String, _ zone: TimeZone) -> ObjectExpression<Root, Int?> {
        ObjectExpression { () throws(FetchPredicateError) in
            let time = try PropertyPath(self, of: Root.self).expression
            let zone = FetchExpression(.constant(.value(.string(zone.identifier))))
            return FetchExpression(.function(function, [time, zone]))
        }
    }
}
