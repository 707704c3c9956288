import AnabranchReplication
import Foundation

/// Checks the predicate of a fetched property with values of the types that it will have.
struct FetchedPropertyCheck {
    let property: FetchedPropertyDescription

    /// Checks the property.
    ///
    /// A predicate that no store can evaluate is no problem of the model: reading the property
    /// throws that error.
    ///
    /// - Returns: `nil` if the property can be used.
    func problem() -> ModelError? {
        let owner = property.entity
        let lead = "Can't use the fetched property \(owner.name).\(property.name) because"
        do throws(FetchPredicateError) {
            let predicate = try FetchSourcePredicate(property.declaration)
            var values: [[String]: FetchExpression] = [:]
            for path in predicate.paths {
                guard let sample = sample(of: path) else {
                    return ModelError(
                        .invalidPredicate, entity: owner.name, property: property.name,
                        "\(lead) $FETCH_SOURCE.\(path.joined(separator: ".")) is no path over "
                            + "to-one relationships to a property of \(owner.name).")
                }
                values[path] = sample
            }
            _ = try predicate.substituting(values).resolved(for: property.destination)
            return nil
        } catch {
            guard error.code != .notEvaluable else { return nil }
            return ModelError(
                .invalidPredicate, entity: owner.name, property: property.name,
                "\(lead) of its predicate. \(error.message)")
        }
    }

    private func sample(of path: [String]) -> FetchExpression? {
        var entity = property.entity
        for (place, key) in path.enumerated() {
            switch entity.property(named: key) {
            case .attribute(let attribute):
                guard place == path.count - 1 else { return nil }
                return Self.sample(of: attribute.type).predicateExpression
            case .relationship(let relationship):
                guard !relationship.isToMany else {
                    return place == path.count - 1
                        ? FetchExpression(.constant(.collection([Self.object]))) : nil
                }
                entity = relationship.destination
            case nil: return nil
            }
        }
        return FetchExpression(.constant(Self.object))
    }

    private static let object = PredicateConstant.object(
        PredicateObjectReference(record: 0, store: 0))

    private static func sample(of type: AttributeType) -> PropertyValue {
        let samples: [PropertyValue] = [
            .string(""), .integer(0), .double(0), .date(0), .data(Data()), .bool(false),
            .uri("a:b"), .uuid(UUID()),
        ]
        return samples.lazy.compactMap(type.coerce).first { type.accepts($0) } ?? .null
    }
}
