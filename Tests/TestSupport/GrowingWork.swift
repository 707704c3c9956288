package import Testing

/// Work that may grow with its input, and not faster.
package struct GrowingWork: Sendable, CustomTestStringConvertible {
    package let testDescription: String
    private let leastSize: Int
    private let prepare: @Sendable (Int) throws -> () throws -> Void

    /// Describes the work.
    ///
    /// - Parameters:
    ///   - description: The work and what grows in it.
    ///   - leastSize: The least size of the input that is measured.
    ///   - prepare: Makes everything that the work of a size needs, and returns the work.
    package init(
        _ description: String, from leastSize: Int,
        _ prepare: @escaping @Sendable (Int) throws -> () throws -> Void
    ) {
        testDescription = description
        self.leastSize = leastSize
        self.prepare = prepare
    }

    /// Expects that a doubled input at most doubles the time, with some tolerance.
    package func expectProportional(
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let factor = try Growth.factor(from: leastSize, prepare)
        #expect(factor < Growth.limit, "\(testDescription)", sourceLocation: sourceLocation)
    }
}
