/// A list of objects that an object finds by a fetch, as a model declares it.
///
/// The predicate may contain `$FETCH_SOURCE`, which is the object, with a path from it such as
/// `$FETCH_SOURCE.name`, and `$FETCHED_PROPERTY.userInfo.key`, which is an entry of the property's
/// user info:
///
/// ```swift
/// FetchedProperty("homonyms", of: "Person", predicateFormat: "name == $FETCH_SOURCE.name")
/// ```
///
/// It is a weak reference in one direction: nothing is stored, and it may go from objects that are
/// synced to such that are not.
public struct FetchedProperty: Hashable, Sendable {
    /// The name; unique among the properties of the entity.
    package var name: String
    /// The name of the entity to fetch.
    package var entity: String
    /// The predicate format; `nil` fetches all objects.
    package var predicateFormat: String?
    /// The greatest number of results; `nil` is no limit.
    package var fetchLimit: Int?
    /// Any texts for the app, for tools and for the predicate.
    package var userInfo: [String: String]

    /// Declares a fetched property.
    public init(
        _ name: String, of entity: String, predicateFormat: String? = nil, fetchLimit: Int? = nil,
        userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.entity = entity
        self.predicateFormat = predicateFormat
        self.fetchLimit = fetchLimit
        self.userInfo = userInfo
    }
}
