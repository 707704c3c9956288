// The implementation of the compiler plug-in of `@Entity`, without its pipes.
//
// A message from the compiler contains the text of a declaration, and the reply contains the text
// to add. The plug-in therefore needs no syntax tree and no other package. It splits the source
// into tokens (`Reading`), finds the properties of the class, generates the code (`Expansion`), and
// implements the protocol (`Messages`).
//
// It is a library of its own because of SwiftPM: if one test target uses a macro target, SwiftPM
// builds every test and its dependencies a second time, for the host.
