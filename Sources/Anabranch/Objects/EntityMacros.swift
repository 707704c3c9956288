public import AnabranchModel
public import AnabranchReplication

/// Makes a class represent an entity of the model.
///
/// ```swift
/// @Entity
/// final class Person: ManagedObject {
///     #Index<Person>([\.name, \.age])
///     @Attribute(.unique) var email: String?
///     var name: String?
///     var age: Int64 = 18
///     @Attribute var mood: Mood?
///     @Relationship(deleteRule: .nullify, inverse: \Company.staff) var employer: Company?
///     @Relationship(inverse: "friends") var friends: ManagedObjectSet<Person>
/// }
/// ```
///
/// The classes can be the whole model: `try ManagedObjectModel(Person.self, Company.self)`. If the
/// model is written in Swift or comes from a file, the container compares each class with it and
/// names the first difference. The marks of the properties then have no effect.
///
/// The macro adds what a class by hand declares itself (see ``ManagedObject``): `entityName`,
/// `slotNames`, the accessors of its properties, and `entityDeclaration`.
///
/// **Properties.** Every stored variable is a property of the entity with the same name:
///
/// - A type that conforms to ``AttributeValue``, optional or not, makes an attribute, optional or
///   not. Its initial value is the default value. A non-optional property reads as the type's
///   `absent` value while the attribute is null.
/// - An optional type with the mark ``Transformable(by:)`` makes an attribute that a transformer
///   stores as bytes.
/// - An optional class makes a to-one relationship.
/// - A struct with ``Composite()``, optional or not, with the mark `@Attribute(.composite)` makes a
///   composite attribute.
/// - A ``ManagedObjectSet`` makes a to-many relationship.
/// - A ``ManagedObjectList`` makes an ordered to-many relationship.
///
/// A macro sees only how a type is written. It takes an optional of a type that is not Swift's or
/// Foundation's for a relationship. Mark an attribute of such a type with `@Attribute`; the
/// compiler reports a missing mark.
///
/// An array with the mark ``FetchedProperty(_:fetchLimit:userInfo:)`` is a fetched property.
///
/// The macro ignores computed, static and lazy properties, and constants with a value. Mark a
/// stored property that is not a property of the entity with ``Transient()``.
///
/// **Inheritance.** The class of a sub-entity inherits from the class of its super-entity. Both
/// use `@Entity`, or are written in the form that it generates.
///
/// **Isolation.** If a module's code is on the main actor by default, declare the class
/// `nonisolated`, because its objects live in contexts of any queue. Without that word its
/// properties can be used on the main actor only, with the view context.
///
/// - Parameters:
///   - name: The name of the entity, if it differs from the name of the class.
///   - isAbstract: True if the entity itself has no objects, only its sub-entities have.
///   - originalName: The name of the entity in an earlier version of the model.
///   - wireName: The name on the wire, if it is neither the original name nor the name. Never
///     change it once a store has data.
///   - deletePolicy: The result of a delete and a concurrent change of one object by two replicas.
///   - hashModifier: A text that makes the version of the model another one, though nothing else
///     differs.
///   - userInfo: Any texts for the app or for tools.
@attached(
    member, names: named(entityName), named(slotNames), named(_firstOwnSlot),
    named(entityDeclaration), named(init))
@attached(memberAttribute)
public macro Entity(
    _ name: String? = nil, isAbstract: Bool = false, originalName: String? = nil,
    wireName: String? = nil, deletePolicy: DeletePolicy = .deleteWins, hashModifier: String? = nil,
    userInfo: [String: String] = [:]
) = #externalMacro(module: "AnabranchMacros", type: "EntityMacro")

/// Says more about an attribute of a class with `@Entity`, or that a property is one if its type
/// alone does not show that: `@Attribute var colour: Colour?`.
///
/// ```swift
/// @Attribute(.unique, originalName: "title") var name: String?
/// @Attribute(mergeRule: .counter) var visits: Int64 = 0
/// ```
///
/// A model that is made from classes uses the arguments; a model in Swift or from a file has them
/// itself.
///
/// - Parameters:
///   - options: Flags such as `.unique`, `.indexed` and `.transient`.
///   - originalName: The name of the attribute in an earlier version of the model.
///   - wireName: The name on the wire, if it is neither the original name nor the name. Never
///     change it once a store has data.
///   - minimum: The least value, or the least length of a text in UTF-16 units.
///   - maximum: The greatest value, or the greatest length of a text in UTF-16 units.
///   - regularExpression: A regular expression in ICU's syntax that the whole text must match.
///   - validations: Further conditions on the value, checked in this order.
///   - derivation: The expression from which the store computes the value, such as
///     `"notes.@count"`. The attribute is then optional in the model, whatever the type is.
///   - mergeRule: The rule that merges concurrent writes of different replicas.
///   - group: The name of the attribute group. All attributes with this group merge as one value.
///   - hashModifier: A text that makes the version of the model another one.
///   - userInfo: Any texts for the app or for tools.
@attached(peer)
public macro Attribute(
    _ options: AttributeOption..., originalName: String? = nil, wireName: String? = nil,
    minimum: PropertyValue? = nil, maximum: PropertyValue? = nil, regularExpression: String? = nil,
    validations: [ValidationRule] = [], derivation: String? = nil,
    mergeRule: MergeRule = .lastWriter, group: String? = nil, hashModifier: String? = nil,
    userInfo: [String: String] = [:]
) = #externalMacro(module: "AnabranchMacros", type: "EntityMark")

/// Makes a struct the type of composite attributes.
///
/// ```swift
/// @Composite
/// struct Address {
///     var street: String?
///     @Attribute(maximum: 40) var city: String?
///     var location: Location?
/// }
///
/// @Entity
/// final class Person: ManagedObject {
///     @Attribute(.composite) var address: Address?
/// }
/// ```
///
/// Every stored property is an element: one with a type that conforms to ``AttributeValue`` is an
/// attribute, and one with another struct with `@Composite` is a composite attribute inside this
/// one. An initial value is the default value. The mark `@Attribute` says more about an element, as
/// it does about a property of an entity's class.
///
/// An element that is not optional has to have a value if any other element has one.
///
/// The macro adds the conformance to ``CompositeValue``.
@attached(member, names: named(compositeDeclaration))
@attached(
    extension, conformances: CompositeValue, names: named(init(elements:)), named(write(to:)))
public macro Composite() = #externalMacro(module: "AnabranchMacros", type: "CompositeMacro")

/// Marks a property of a class with `@Entity` as a transformable attribute. An
/// ``AttributeTransformer`` stores its values as bytes: `@Transformable var colour: Colour?`. The
/// type of the property is optional. The mark `@Attribute` can say more about it.
///
/// - Parameter transformer: The name under which the app registers the transformer; `nil` is the
///   default transformer.
@attached(peer)
public macro Transformable(by transformer: String? = nil) =
    #externalMacro(module: "AnabranchMacros", type: "EntityMark")

/// Says more about a relationship of a class with `@Entity`:
/// `@Relationship(deleteRule: .cascade, inverse: \Note.folder)`.
///
/// Write the inverse at one of the two ends: the compiler can't resolve two key paths that refer to
/// each other, nor a key path to the property itself. The form with a name has no such limit:
/// `@Relationship(inverse: "friends")`. A relationship without an inverse says `inverse: nil` if
/// the other end has one that could be it.
///
/// A model that is made from classes uses the arguments; a model in Swift or from a file has them
/// itself.
///
/// - Parameters:
///   - isOptional: True if a saved object may have no object at the other end.
///   - isTransient: True if the relationship exists only in the memory of a context. Its inverse
///     is transient too.
///   - isAcyclic: True if references along this to-one must not form a cycle, as in a tree.
///   - deleteRule: The effect of deleting an object on the objects at the other end.
///   - minimumModelCount: The least number of objects at the other end of a to-many.
///   - maximumModelCount: The greatest number of objects at the other end of a to-many.
///   - originalName: The name of the relationship in an earlier version of the model.
///   - wireName: The name on the wire, if it is neither the original name nor the name. Never
///     change it once a store has data.
///   - inverse: The key path of the inverse, or its name.
///   - validations: Further conditions on the objects at the other end, checked in this order.
///   - hashModifier: A text that makes the version of the model another one.
///   - userInfo: Any texts for the app or for tools.
@attached(peer)
public macro Relationship(
    optional isOptional: Bool = true, transient isTransient: Bool = false,
    acyclic isAcyclic: Bool = false, deleteRule: DeleteRule = .nullify,
    minimumModelCount: Int = 0, maximumModelCount: Int? = nil,
    originalName: String? = nil, wireName: String? = nil,
    inverse: (any RelationshipInverse)? = nil,
    validations: [ValidationRule] = [], hashModifier: String? = nil,
    userInfo: [String: String] = [:]
) = #externalMacro(module: "AnabranchMacros", type: "EntityMark")

/// Marks a stored property of a class with `@Entity` that is not a property of the entity. It
/// exists only in memory, as long as the object does. (What the model calls a transient attribute
/// is a property of the entity: `@Attribute(.transient)`.)
@attached(peer)
public macro Transient() = #externalMacro(module: "AnabranchMacros", type: "EntityMark")

/// Makes an array of a class with `@Entity` a fetched property. A fetch finds its objects:
///
/// ```swift
/// @FetchedProperty("name == $FETCH_SOURCE.name AND SELF != $FETCH_SOURCE") var homonyms: [Person]
/// ```
///
/// The array is read-only. It is fetched when it is first read, and stays as it is until the object
/// is refreshed or becomes a fault; see ``ManagedObject/fetchedObjects(forKey:)``.
///
/// - Parameters:
///   - predicateFormat: The predicate, in which `$FETCH_SOURCE` is the object; `nil` fetches all
///     objects.
///   - fetchLimit: The greatest number of objects.
///   - userInfo: Any texts, which the predicate reads as `$FETCHED_PROPERTY.userInfo.key`.
@attached(accessor)
public macro FetchedProperty(
    _ predicateFormat: String? = nil, fetchLimit: Int? = nil, userInfo: [String: String] = [:]
) = #externalMacro(module: "AnabranchMacros", type: "FetchedPropertyMacro")

/// Declares uniqueness constraints in the body of a class with `@Entity`:
/// `#Unique<Person>([\.email], [\.givenName, \.familyName])`.
///
/// Two objects of the entity, or of its sub-entities, differ in one attribute of each list. A
/// missing value equals no other value.
@freestanding(declaration)
public macro Unique<T: ManagedObject>(_ constraints: [PartialKeyPath<T>]...) =
    #externalMacro(module: "AnabranchMacros", type: "EntityConstraint")

/// Declares indexes in the body of a class with `@Entity`:
/// `#Index<Person>([\.age], [\.familyName, \.givenName])`.
///
/// Each list makes one index in ascending order, led by its first property. A property is an
/// attribute or a to-one relationship.
@freestanding(declaration)
public macro Index<T: ManagedObject>(_ indexes: [PartialKeyPath<T>]...) =
    #externalMacro(module: "AnabranchMacros", type: "EntityConstraint")

/// Generates the accessors of an attribute. `@Entity` adds this macro; do not write it by
/// hand.
///
/// - Parameters:
///   - slot: The index among the slots of the class's own entity.
///   - isBelowEntity: True if the slots of a super-entity come before.
@attached(accessor)
public macro _EntitySlot(slot: Int, isBelowEntity: Bool = false) =
    #externalMacro(module: "AnabranchMacros", type: "EntitySlotMacro")

/// Generates the accessors of a transformable attribute; see ``_EntitySlot(slot:isBelowEntity:)``.
@attached(accessor)
public macro _EntitySlot(transformable: Int, isBelowEntity: Bool = false) =
    #externalMacro(module: "AnabranchMacros", type: "EntitySlotMacro")

/// Generates the accessors of a to-one relationship; see ``_EntitySlot(slot:isBelowEntity:)``.
@attached(accessor)
public macro _EntitySlot(toOne: Int, isBelowEntity: Bool = false) =
    #externalMacro(module: "AnabranchMacros", type: "EntitySlotMacro")

/// Generates the accessor of a to-many relationship; see ``_EntitySlot(slot:isBelowEntity:)``.
@attached(accessor)
public macro _EntitySlot(toMany: Int, isBelowEntity: Bool = false) =
    #externalMacro(module: "AnabranchMacros", type: "EntitySlotMacro")

/// Generates the accessor of an ordered to-many relationship; see
/// ``_EntitySlot(slot:isBelowEntity:)``.
@attached(accessor)
public macro _EntitySlot(list: Int, isBelowEntity: Bool = false) =
    #externalMacro(module: "AnabranchMacros", type: "EntitySlotMacro")

/// Generates the accessors of a composite attribute; see ``_EntitySlot(slot:isBelowEntity:)``.
@attached(accessor)
public macro _EntitySlot(composite: String) =
    #externalMacro(module: "AnabranchMacros", type: "EntitySlotMacro")
