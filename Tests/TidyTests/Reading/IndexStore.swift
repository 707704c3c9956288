import CIndexStore
import Foundation

/// The compiler's index of a debug build: where each symbol is declared and used.
///
/// The toolchain's `libIndexStore` reads it. The library is loaded when it is needed, because a
/// toolchain may lack it.
struct IndexStore: @unchecked Sendable {
    // The library only reads a store.

    /// One mention of a symbol in a file.
    struct Occurrence: Hashable {
        /// The path below the root that was given.
        let path: String
        let line: Int
        /// The compiler's name of the symbol, unique across modules.
        let symbol: String
        let name: String
        let isDefinition: Bool
    }

    private let library: IndexLibrary
    private let store: index_handle
    private let root: String

    /// Opens an index.
    ///
    /// - Parameters:
    ///   - path: The folder of the index, which the compiler writes by `-index-store-path`.
    ///   - root: The folder of the sources.
    /// - Returns: `nil` if there is no index, or no library to read it.
    init?(path: String, root: URL) {
        guard FileManager.default.fileExists(atPath: path), let library = IndexLibrary.installed,
            let store = library.openStore(path, nil)
        else { return nil }
        self.library = library
        self.store = store
        self.root = root.resolvingSymlinksInPath().path + "/"
    }

    /// Returns the occurrences in the files below some folders.
    ///
    /// - Parameter folders: Paths below the root, each with a slash at its end.
    func occurrences(below folders: [String]) -> Set<Occurrence> {
        var found: Set<Occurrence> = []
        var read: Set<String> = []
        for unit in unitNames() {
            guard let reader = library.openUnit(store, unit, nil) else { continue }
            defer { library.closeUnit(reader) }
            let file = String(library.mainFile(reader))
            guard file.hasPrefix(root), FileManager.default.fileExists(atPath: file) else {
                continue
            }
            let path = String(file.dropFirst(root.count))
            guard folders.contains(where: path.hasPrefix) else { continue }
            let own = URL(filePath: file).lastPathComponent
            for record in recordNames(of: reader) where record.hasPrefix(own) {
                guard read.insert(path + record).inserted else { continue }
                readRecord(record, of: path, into: &found)
            }
        }
        return found
    }

    private func unitNames() -> [String] {
        var names: [String] = []
        withUnsafeMutablePointer(to: &names) { names in
            _ = library.eachUnit(store, 0, names) { context, name in
                context?.assumingMemoryBound(to: [String].self).pointee.append(String(name))
                return true
            }
        }
        return names
    }

    private func recordNames(of unit: index_handle) -> [String] {
        let recordKind: Int32 = 2
        return handles(of: unit, library.eachDependency) { dependency in
            guard library.dependencyKind(dependency) == recordKind else { return nil }
            return String(library.dependencyName(dependency))
        }
    }

    private func readRecord(_ name: String, of path: String, into found: inout Set<Occurrence>) {
        guard let reader = library.openRecord(store, name, nil) else { return }
        defer { library.closeRecord(reader) }
        let (definition, reference): (UInt64, UInt64) = (2, 4)
        let all = handles(of: reader, library.eachOccurrence) { element -> Occurrence? in
            let roles = library.roles(element)
            guard roles & (definition | reference) != 0, let symbol = library.symbol(element),
                library.symbolKind(symbol) != 0
            else { return nil }
            var (line, column): (UInt32, UInt32) = (0, 0)
            library.place(element, &line, &column)
            return Occurrence(
                path: path, line: Int(line), symbol: String(library.symbolIdentifier(symbol)),
                name: String(library.symbolName(symbol)), isDefinition: roles & definition != 0)
        }
        found.formUnion(all)
    }

    /// Collects the results of a body for each element that a function of the library visits.
    private func handles<Result>(
        of handle: index_handle, _ visit: index_each, _ body: (index_handle) -> Result?
    ) -> [Result] {
        var results: [Result] = []
        withoutActuallyEscaping(body) { body in
            var collector = HandleCollector { element in
                if let result = body(element) { results.append(result) }
            }
            withUnsafeMutablePointer(to: &collector) { collector in
                _ = visit(handle, collector) { context, element in
                    guard let element else { return true }
                    context?.assumingMemoryBound(to: HandleCollector.self).pointee.add(element)
                    return true
                }
            }
        }
        return results
    }
}

/// The target of a callback from the library.
private struct HandleCollector {
    let add: (index_handle) -> Void
}

extension String {
    fileprivate init(_ text: index_string) {
        let bytes = UnsafeRawBufferPointer(start: text.data, count: text.length)
        self.init(decoding: bytes, as: UTF8.self)
    }
}
