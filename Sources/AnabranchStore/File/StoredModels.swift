import AnabranchModel
import Synchronization

/// Models that were read from files and are still in use.
///
/// Object IDs may be kept longer than their store is open, and need its model: `StoreOrigin` keeps
/// it until the program ends. A program that opens many files by their own models, or the same
/// files repeatedly, needs memory for each model only once.
enum StoredModels {
    private struct Known {
        weak var model: ManagedObjectModel?
    }

    private static let known = Mutex<[[UInt8]: Known]>([:])

    /// The shared model of an encoding.
    ///
    /// - Throws: `ModelError` if the bytes are not a model.
    static func model(encodedAs bytes: [UInt8]) throws -> ManagedObjectModel {
        if let model = known.withLock({ $0[bytes]?.model }) { return model }
        let model = try ManagedObjectModel(canonicalEncoding: bytes)
        return known.withLock { known in
            // Another thread may have decoded the model meanwhile.
            if let other = known[bytes]?.model { return other }
            known = known.filter { $0.value.model != nil }
            known[bytes] = Known(model: model)
            return model
        }
    }
}
