public import AnabranchModel

extension ManagedObjectModel {
    /// A fetch request of the model, by its name, with its variables unbound.
    ///
    /// A copy: what is changed of it leaves the model as it is. Its variables get their values in
    /// ``FetchRequest/variables``; without them a fetch is refused.
    ///
    /// - Parameter type: The class of the template's entity, or one above it.
    /// - Returns: `nil` where the model has no template of the name.
    /// - Throws: ``FetchPredicateError``.
    public func fetchRequestTemplate<Object: ManagedObject>(
        forName name: String, as type: Object.Type = Object.self
    ) throws -> FetchRequest<Object>? {
        try fetchRequestTemplate(named: name).map { try FetchRequest($0) }
    }

    /// A fetch request of the model, by its name, with its variables replaced by values.
    ///
    /// ```swift
    /// let grown: FetchRequest<Person> = try model.fetchRequestFromTemplate(
    ///     withName: "olderThan", substitutionVariables: ["MIN": 20])
    /// ```
    ///
    /// A copy: what is changed of it leaves the model as it is. Its predicate has been checked
    /// against the entity.
    ///
    /// - Parameters:
    ///   - variables: A value for every variable of the template, named without the `$`; others
    ///     are passed over.
    ///   - type: The class of the template's entity, or one above it.
    /// - Throws: ``PropertyError`` with code `unknownTemplate` where the model has none of the
    ///   name; ``FetchPredicateError`` with code `unboundVariable` for a variable without a value,
    ///   with `typeMismatch` for a value that its property can't be compared with.
    public func fetchRequestFromTemplate<Object: ManagedObject>(
        withName name: String, substitutionVariables variables: [String: (any PredicateArgument)?],
        as type: Object.Type = Object.self
    ) throws -> FetchRequest<Object> {
        guard let template = fetchRequestTemplate(named: name),
            let entity = entity(named: template.entity)
        else { throw unknownTemplate(name) }
        var request = try FetchRequest<Object>(template)
        request.predicate = try request.predicate?.substituting(variables)
        _ = try request.predicate?.resolved(for: entity)
        return request
    }

    private func unknownTemplate(_ name: String) -> PropertyError {
        let names = declaration.fetchRequestTemplates.map(\.name)
        let others =
            names.isEmpty ? "it has no templates" : "it has \(names.joined(separator: ", "))"
        return PropertyError(
            .unknownTemplate,
            "Can't make a fetch request of the template '\(name)' because the model has none of "
                + "that name; \(others).")
    }
}

extension FetchRequest {
    fileprivate init(_ template: FetchRequestTemplate) throws {
        self.init(entityName: template.entity)
        predicate = try template.predicateFormat.map { try FetchPredicate($0) }
        fetchLimit = template.fetchLimit ?? 0
        fetchBatchSize = template.fetchBatchSize
        includesSubentities = template.includesSubentities
        includesPendingChanges = template.includesPendingChanges
        includesPropertyValues = template.includesPropertyValues
        returnsObjectsAsFaults = template.returnsObjectsAsFaults
    }
}
