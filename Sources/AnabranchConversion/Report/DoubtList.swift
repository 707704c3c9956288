import AnabranchModel
import AnabranchReplication

/// The doubts of a conversion, in the order in which they were found.
final class DoubtList {
    private(set) var doubts: [ConversionDoubt] = []
    /// True while rows are read again, so that their doubts are known already.
    var isReadingAgain = false
    private let uuid: String

    init(uuid: String) { self.uuid = uuid }

    /// Adds a doubt about a property of an object.
    func add(
        _ entity: EntityDescription, _ key: Int64, _ property: String?, found: String,
        stored: String
    ) {
        guard !isReadingAgain else { return }
        doubts.append(
            ConversionDoubt(
                entity: entity.name, uri: uri(entity.name, key), property: property, found: found,
                stored: stored))
    }

    /// Adds a doubt about no single object.
    func add(entity: String, property: String? = nil, found: String, stored: String) {
        doubts.append(
            ConversionDoubt(
                entity: entity, uri: nil, property: property, found: found, stored: stored))
    }

    /// Adds a doubt about the persistent history.
    func add(history found: String, stored: String) {
        add(entity: ConversionDoubt.history, found: found, stored: stored)
    }

    func uri(_ entity: String, _ key: Int64) -> String { "x-coredata://\(uuid)/\(entity)/p\(key)" }
}
