/// The error of a benchmark that did not measure the intended operation.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ cause: String) { description = "The measurement is void because \(cause)." }
}

/// The error of a run in which some measurements failed. Their rows have the reasons.
struct FailedMeasurements: Error, CustomStringConvertible {
    let count: Int

    var description: String {
        "\(count) of the measurements failed, for the reasons in the table."
    }
}
