/// Makes a class represent an entity of the model.
///
/// ```swift
/// @Entity
/// final class Person: ManagedObject {
///     var age: Int64
///     var name: String?
///     @Attribute var mood: Mood?
///     var employer: Company?
///     var friends: ManagedObjectSet<Person>
/// }
/// ```
///
/// The macro adds what a class by hand declares itself (see ``ManagedObject``): `entityName`,
/// `slotNames` and the accessors of its properties. Pass the class to the container, which
/// compares it with the model and names the first difference if it does not fit.
///
/// **Properties.** Every stored variable is a property of the entity with the same name:
///
/// - A type that conforms to ``AttributeValue``, optional or not, makes an attribute. A
///   non-optional property reads as the type's `absent` value while the attribute is null.
/// - An optional type with the mark ``Transformable()`` makes an attribute that a transformer
///   stores as bytes.
/// - An optional class makes a to-one relationship.
/// - A ``ManagedObjectSet`` makes a to-many relationship.
/// - A ``ManagedObjectList`` makes an ordered to-many relationship.
///
/// A macro sees only how a type is written. It takes an optional of a type that is not Swift's or
/// Foundation's for a relationship. Mark an attribute of such a type with ``Attribute()``; the
/// compiler reports a missing mark.
///
/// The macro ignores computed, static and lazy properties, and constants with a value. Mark a
/// stored property that is not a property of the entity with ``Transient()``. The model declares
/// the default value of an attribute, so a property has no initial value.
///
/// **Inheritance.** The class of a sub-entity inherits from the class of its super-entity. Both
/// use `@Entity`, or are written in the form that it generates.
///
/// **Isolation.** If a module's code is on the main actor by default, declare the class
/// `nonisolated`, because its objects live in contexts of any queue.
///
/// - Parameter name: The name of the entity, if it differs from the name of the class.
@attached(member, names: named(entityName), named(slotNames), named(_firstOwnSlot))
@attached(memberAttribute)
public macro Entity(_ name: String? = nil) =
    #externalMacro(module: "AnabranchMacros", type: "EntityMacro")

/// Marks a property of a class with ``Entity(_:)`` as an attribute, if its type alone does not
/// show that: `@Attribute var colour: Colour?`.
@attached(peer)
public macro Attribute() = #externalMacro(module: "AnabranchMacros", type: "EntityMark")

/// Marks a property of a class with ``Entity(_:)`` as a transformable attribute. An
/// ``AttributeTransformer`` stores its values as bytes: `@Transformable var colour: Colour?`. The
/// type of the property is optional.
@attached(peer)
public macro Transformable() = #externalMacro(module: "AnabranchMacros", type: "EntityMark")

/// Marks a property of a class with ``Entity(_:)`` as a relationship. It is needed only if the
/// class at the other end has the name of a standard type.
@attached(peer)
public macro Relationship() = #externalMacro(module: "AnabranchMacros", type: "EntityMark")

/// Marks a stored property of a class with ``Entity(_:)`` that is not a property of the entity. It
/// exists only in memory, as long as the object does. (What the model calls a transient attribute
/// is a property of the entity.)
@attached(peer)
public macro Transient() = #externalMacro(module: "AnabranchMacros", type: "EntityMark")

/// Generates the accessors of an attribute. ``Entity(_:)`` adds this macro; do not write it by
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
