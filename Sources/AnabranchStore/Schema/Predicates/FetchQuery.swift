package import AnabranchModel

/// The parameters of a fetch, resolved against the model.
package struct FetchQuery: Equatable, Sendable {
    package var entity: EntityDescription
    package var includesSubentities = true
    package var predicate: ResolvedPredicate?
    package var sorts: [ResolvedSort] = []
    package var limit: Int?
    package var offset = 0

    package init(entity: EntityDescription) { self.entity = entity }
}
