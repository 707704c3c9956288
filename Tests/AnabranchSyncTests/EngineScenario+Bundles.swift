import AnabranchStore
import AnabranchSync
import Foundation
import TestSupport
import Testing

extension EngineScenario {
    /// Syncs the stores one after the other.
    func sync(_ stores: Store...) async throws {
        for store in stores { try await engine(store).synchronize() }
    }

    /// - Returns: The path of a bundle of a store.
    func bundle(_ store: Store, lacking base: BundleBase = .nothing) throws -> String {
        let path = folder.file("\(UUID().uuidString).bundle")
        let written = try store.exportBundle(to: path, lacking: base)
        // The writer and the reader of the bundle report the same.
        let read = try BundleFile(path).check()
        #expect(written.prerequisites == read.prerequisites && written.setCount == read.setCount)
        return path
    }
}

extension Store {
    @discardableResult
    func take(_ bundle: String) throws -> BundleOutcome { try importBundle(from: bundle) { _ in } }
}
