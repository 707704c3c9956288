import AnabranchModel
import Foundation

extension FuzzTarget {
    static let predicate = FuzzTarget(name: "predicate") { bytes in
        let format = String(decoding: bytes, as: UTF8.self)
        _ = try? TextQuery(format)
        let placeholders = format.utf8.count { $0 == UInt8(ascii: "%") }
        let arguments: [(any PredicateArgument)?] = (0..<placeholders).map { number in
            number % 2 == 0 ? "name" : number
        }
        guard let predicate = try? FetchPredicate(format: format, arguments: arguments)
        else { return }
        let printed = predicate.predicateFormat
        let again = try? FetchPredicate(format: printed, arguments: [])
        precondition(
            again?.predicateFormat == printed, "a predicate changes when it is printed: \(printed)")
    }

    /// The canonical encoding of a model, as a store keeps it.
    static let model = FuzzTarget(name: "model") { bytes in
        guard let model = try? ManagedObjectModel(canonicalEncoding: bytes) else { return }
        let again = try? ManagedObjectModel(canonicalEncoding: model.canonicalEncoding)
        precondition(again == model, "a model changes when it is encoded")
    }

    /// The XML of Xcode's model editor.
    static let modelFile = FuzzTarget(name: "model-file") { bytes in
        guard let model = try? ManagedObjectModel.reading(xml: Data(bytes)) else { return }
        let again = try? ManagedObjectModel(canonicalEncoding: model.canonicalEncoding)
        precondition(again == model, "a model changes when it is encoded")
    }

    /// The keyed archive that a model compiler writes.
    static let compiledModel = FuzzTarget(name: "compiled-model") { bytes in
        guard let model = try? ManagedObjectModel.reading(compiled: Data(bytes)) else { return }
        let again = try? ManagedObjectModel(canonicalEncoding: model.canonicalEncoding)
        precondition(again == model, "a model changes when it is encoded")
    }
}
