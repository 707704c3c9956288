public import AnabranchModel

extension ManagedObjectModel {
    /// Returns a copy of a fetch request template of the model, with its variables unbound.
    ///
    /// Changing the copy does not change the model. Bind the variables by
    /// ``FetchRequest/variables``; a fetch with an unbound variable throws an error.
    ///
    /// - Parameters:
    ///   - name: The name of the template.
    ///   - type: The class of the template's entity, or of a super-entity.
    /// - Returns: `nil` if the model has no template of that name.
    /// - Throws: `FetchPredicateError`.
    public func fetchRequestTemplate<Object: ManagedObject>(
        forName name: String, as type: Object.Type = Object.self
    ) throws -> FetchRequest<Object>? {
        try fetchRequestTemplate(named: name).map { try FetchRequest($0) }
    }

    /// Returns a copy of a fetch request template of the model, with its variables replaced by
    /// values.
    ///
    /// ```swift
    /// let grown: FetchRequest<Person> = try model.fetchRequestFromTemplate(
    ///     withName: "olderThan", substitutionVariables: ["MIN": 20])
    /// ```
    ///
    /// Changing the copy does not change the model. Its predicate has been checked against the
    /// entity.
    ///
    /// - Parameters:
    ///   - name: The name of the template.
    ///   - variables: A value for every variable of the template, by name without the `$`. Values
    ///     for other names are ignored.
    ///   - type: The class of the template's entity, or of a super-entity.
    /// - Throws: ``PropertyError`` with code `unknownTemplate` if the model has no template of
    ///   that name; `FetchPredicateError` with code `unboundVariable` for a variable without a
    ///   value, and with code `typeMismatch` for a value that can't be compared with its property.
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
            "Can't create a fetch request from the template '\(name)' because the model has "
                + "no template of that name; \(others).")
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
