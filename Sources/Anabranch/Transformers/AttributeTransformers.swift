import Synchronization

/// The registered transformers of this program, by the names that models use.
///
/// All containers share one table, because a name in a store must mean the same in every
/// container.
public enum AttributeTransformers {
    /// The name of the transformer for an attribute without a transformer name in the model.
    ///
    /// It is Core Data's name. Unless another transformer is registered under it, it means a
    /// ``CodableTransformer`` of the property's type. That transformer can't decode an archive
    /// that Core Data wrote under this name; register one that can.
    public static let defaultName = "NSSecureUnarchiveFromData"

    private static let table = Mutex<[String: any AttributeTransformer]>([:])

    /// Registers a transformer, preferably before a store is opened.
    ///
    /// - Parameters:
    ///   - transformer: The transformer.
    ///   - name: The transformer name of the attribute in the model. It replaces a transformer
    ///     that was registered under the name before.
    public static func register(
        _ transformer: some AttributeTransformer, forName name: String = defaultName
    ) {
        table.withLock { $0[name] = transformer }
    }

    /// Returns the transformer that is registered under a name; `nil` if there is none.
    public static func transformer(forName name: String) -> (any AttributeTransformer)? {
        table.withLock { $0[name] }
    }
}
