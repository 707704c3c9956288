package import AnabranchReplication

extension Mechanism {
    /// Performs an action without some mechanisms. Other threads and tasks have them all.
    @discardableResult
    package static func without<Result>(
        _ mechanisms: Set<Mechanism>, _ action: () throws -> Result
    ) rethrows -> Result {
        #if ANABRANCH_FAULTS
            try $off.withValue(mechanisms, operation: action)
        #else
            precondition(mechanisms.isEmpty, "Build with -Xswiftc -DANABRANCH_FAULTS.")
            return try action()
        #endif
    }
}
