// The schema as values.
//
// A model is written in Swift (`Entity`, `Attribute`, `Relationship` in the braces of
// `ManagedObjectModel`), read from Xcode's model files, or decoded from its canonical encoding.
// All three give one `ModelDeclaration`, which goes through three steps:
//
//   1. `DeclarationNormalizer` brings it to canonical order and fills in what it leaves open: wire
//      names, defaults and bounds in the case of their type.
//   2. `ModelChecker` checks it as a whole and reports every problem, each with its place.
//   3. `ModelGraph` makes the descriptions that the store and the object graph work with. After
//      the checks nothing in it can fail.
//
// The canonical encoding is that of the normalized declaration, so models that mean the same have
// equal bytes, whatever order they were written in.
