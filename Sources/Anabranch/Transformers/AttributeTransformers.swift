import Synchronization

/// The transformers of this program, by the names under which models ask for them.
///
/// There is one table for all containers: what a name stands for is written in stores, and means
/// the same in each of them.
public enum AttributeTransformers {
    /// The name of the transformer of an attribute whose model names none.
    ///
    /// It is Core Data's. Unless another transformer is registered under it, it is
    /// ``CodableTransformer`` of the property's type. (An archive that Core Data has written under
    /// this name is none that it can read: register one that can.)
    public static let defaultName = "NSSecureUnarchiveFromData"

    private static let table = Mutex<[String: any AttributeTransformer]>([:])

    /// Makes a transformer known, best before a store is opened.
    ///
    /// - Parameter name: That the model has as the attribute's transformer. What was registered
    ///   under it before is replaced.
    public static func register(
        _ transformer: some AttributeTransformer, forName name: String = defaultName
    ) {
        table.withLock { $0[name] = transformer }
    }

    /// - Returns: `nil` where nobody has registered any.
    public static func transformer(forName name: String) -> (any AttributeTransformer)? {
        table.withLock { $0[name] }
    }

    /// Sorted by their bytes.
    public static var names: [String] {
        table.withLock { $0.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
    }
}
