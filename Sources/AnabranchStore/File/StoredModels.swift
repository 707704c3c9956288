import AnabranchModel
import Synchronization

/// Models that were read from files and are still in use.
///
/// Object IDs may be kept for longer than their store is open, and need its model: `StoreOrigin`
/// keeps it for as long as the program runs. A program that opens files by their own models, one
/// after the other or the same again and again, needs memory for each model only once.
enum StoredModels {
    private struct Known {
        weak var model: ManagedObjectModel?
    }

    private static let known = Mutex<[[UInt8]: Known]>([:])

    /// The one model of an encoding.
    ///
    /// - Throws: `ModelError` where the bytes are no model.
    static func model(encodedAs bytes: [UInt8]) throws -> ManagedObjectModel {
        if let model = known.withLock({ $0[bytes]?.model }) { return model }
        let model = try ManagedObjectModel(canonicalEncoding: bytes)
        return known.withLock { known in
            // Somebody else may have read it meanwhile.
            if let other = known[bytes]?.model { return other }
            known = known.filter { $0.value.model != nil }
            known[bytes] = Known(model: model)
            return model
        }
    }
}
