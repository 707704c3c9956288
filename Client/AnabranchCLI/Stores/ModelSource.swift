import Anabranch
import Foundation

/// A model that a command line names by a model file, or by a store that contains it.
struct ModelSource {
    let path: String
    let version: String?

    /// The words of the command line for messages.
    var name: String { version.map { "\(path), version \($0)" } ?? path }

    static let argument = ArgumentSpecification(
        "FILE", "A model file of Xcode (.xcdatamodeld or .xcdatamodel), or a store.")
    static let version = OptionSpecification(
        "model-version", "NAME", "The version in an .xcdatamodeld; by default the current one.")

    init(_ path: String, version: String?) {
        self.path = path
        self.version = version
    }

    /// The source that an argument and the option `--model-version` name.
    init(_ arguments: ParsedArguments) throws(UsageError) {
        self.init(try arguments.word("FILE"), version: arguments.text("model-version"))
    }

    /// Reads the model; the warnings of a model file are printed.
    func read(_ console: Console) throws -> ManagedObjectModel {
        guard isDatabase else {
            return try ModelFile.read(path, version: version, console)
        }
        if version != nil {
            throw CommandFailure(
                .usage,
                "\(path) is a store: it has one version of its model. Leave the version "
                    + "out.")
        }
        let store = try StoreFile.open(path, for: .reading)
        defer { store.coordinator.close() }
        return store.model
    }

    /// True if the file begins as every database of SQLite.
    private var isDatabase: Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        let mark = Data("SQLite format 3\0".utf8)
        return (try? file.read(upToCount: mark.count)) == mark
    }
}
