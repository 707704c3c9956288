/// Makes a class stand for an entity of the model.
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
/// The class gets what one writes by hand otherwise (see ``ManagedObject``): `entityName`,
/// `slotNames` and the accessors of its properties. Give it to the container, which compares it
/// with the model and refuses it with the name that differs.
///
/// **Properties.** Every stored variable is a property of the entity, of the same name:
///
/// - of a type that conforms to ``AttributeValue``, optional or not, an attribute. One that is
///   not optional reads as the type's `absent` value while the attribute is null;
/// - of any optional type with the mark ``Transformable()``, an attribute whose bytes a
///   transformer makes;
/// - of an optional class, a to-one relationship;
/// - of a ``ManagedObjectSet``, a to-many relationship;
/// - of a ``ManagedObjectList``, an ordered to-many relationship.
///
/// A macro sees how a type is written, not what it is: an optional of a type that is not one of
/// Swift's or Foundation's is taken for a relationship. Mark an attribute of such a type with
/// ``Attribute()``; the compiler says so where it is forgotten.
///
/// Computed, static and lazy properties and constants with a value are left alone. A stored
/// property that is to be the object's own business and no slot is marked ``Transient()``. What
/// an attribute is at first is said by the model, so a property has no initial value.
///
/// **Inheritance.** The class of a sub-entity inherits from the class of its super-entity, and
/// both have `@Entity`, or are written in the form that it makes.
///
/// **Isolation.** In a module whose code is on the main actor unless it says otherwise, a class
/// says `nonisolated`, since its objects live in the contexts of any queue.
///
/// - Parameter name: Of the entity, where it is not the name of the class.
@attached(member, names: named(entityName), named(slotNames), named(_firstOwnSlot))
@attached(memberAttribute)
public macro Entity(_ name: String? = nil) =
    #externalMacro(module: "AnabranchMacros", type: "EntityMacro")

/// Says that a property of a class with ``Entity(_:)`` is an attribute, where its type alone does
/// not: `@Attribute var colour: Colour?`.
@attached(peer)
public macro Attribute() = #externalMacro(module: "AnabranchMacros", type: "EntityMark")

/// Says that a property of a class with ``Entity(_:)`` is a transformable attribute, of whose
/// values an ``AttributeTransformer`` makes bytes: `@Transformable var colour: Colour?`. Its type
/// is optional.
@attached(peer)
public macro Transformable() = #externalMacro(module: "AnabranchMacros", type: "EntityMark")

/// Says that a property of a class with ``Entity(_:)`` is a relationship; needed where the class
/// at the other end is called like a standard type.
@attached(peer)
public macro Relationship() = #externalMacro(module: "AnabranchMacros", type: "EntityMark")

/// Says that a stored property of a class with ``Entity(_:)`` is no property of the entity: it
/// lives and dies with the object in memory. (What the model calls a transient attribute is a
/// property of the entity like any other.)
@attached(peer)
public macro Transient() = #externalMacro(module: "AnabranchMacros", type: "EntityMark")

/// Written by ``Entity(_:)``, never by hand: the accessors of an attribute.
///
/// - Parameters:
///   - slot: Among the slots of the class's own entity.
///   - isBelowEntity: Whether a super-entity's slots come before.
@attached(accessor)
public macro _EntitySlot(slot: Int, isBelowEntity: Bool = false) =
    #externalMacro(module: "AnabranchMacros", type: "EntitySlotMacro")

/// As ``_EntitySlot(slot:isBelowEntity:)``, of a transformable attribute.
@attached(accessor)
public macro _EntitySlot(transformable: Int, isBelowEntity: Bool = false) =
    #externalMacro(module: "AnabranchMacros", type: "EntitySlotMacro")

/// As ``_EntitySlot(slot:isBelowEntity:)``, of a to-one relationship.
@attached(accessor)
public macro _EntitySlot(toOne: Int, isBelowEntity: Bool = false) =
    #externalMacro(module: "AnabranchMacros", type: "EntitySlotMacro")

/// As ``_EntitySlot(slot:isBelowEntity:)``, of a to-many relationship.
@attached(accessor)
public macro _EntitySlot(toMany: Int, isBelowEntity: Bool = false) =
    #externalMacro(module: "AnabranchMacros", type: "EntitySlotMacro")

/// As ``_EntitySlot(slot:isBelowEntity:)``, of an ordered to-many relationship.
@attached(accessor)
public macro _EntitySlot(list: Int, isBelowEntity: Bool = false) =
    #externalMacro(module: "AnabranchMacros", type: "EntitySlotMacro")
