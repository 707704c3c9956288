/// The finding of an oracle in one run.
package struct SimulationFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
