// The schema as values.
//
// A model is written in Swift (`EntityDeclaration`, `AttributeDeclaration`,
// `RelationshipDeclaration` in the braces of `ManagedObjectModel`), read from Xcode's model files,
// or decoded from its canonical encoding. Each source gives one `ModelDeclaration`, which goes
// through three steps:
//
//   1. `DeclarationNormalizer` sorts its parts and fills in what the declaration leaves out: wire
//      names, and defaults and bounds as values of their attribute's type.
//   2. `ModelChecker` checks the whole declaration and reports every problem with its place.
//   3. `ModelGraph` builds the descriptions that the store and the object graph use, and reads the
//      derivations. `ValidatingGraph` adds the validations: their predicates are resolved against
//      the descriptions.
//
// The canonical encoding encodes the normalized declaration. Two models with the same meaning
// therefore have equal bytes, in whatever order their parts were declared.
