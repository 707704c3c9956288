/// What an oracle found wrong in one run.
struct SimulationFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
