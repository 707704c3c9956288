// What the compiler plug-in of `@Entity` does, beside its pipes.
//
// A message from the compiler has the text of a declaration, and a reply the text that is added,
// so the plug-in needs no syntax tree and no package from elsewhere: it cuts the source into
// tokens (`Reading`), finds the properties of the class, makes the code (`Expansion`), and speaks
// the protocol itself (`Messages`).
//
// A library of its own, because SwiftPM builds every test and all that it uses a second time, for
// the host, as soon as one test target uses a macro target.
