import CIndexStore
import Foundation

/// The functions of the toolchain's `libIndexStore` that the tests call.
struct IndexLibrary: @unchecked Sendable {
    // The handle and the functions never change.
    let openStore: index_open_store
    let eachUnit: index_each_unit
    let openUnit: index_open_reader
    let closeUnit: index_close
    let mainFile: index_text
    let eachDependency: index_each
    let dependencyKind: index_kind
    let dependencyName: index_text
    let openRecord: index_open_reader
    let closeRecord: index_close
    let eachOccurrence: index_each
    let symbol: index_symbol
    let roles: index_roles
    let place: index_place
    let symbolName: index_text
    let symbolIdentifier: index_text
    let symbolKind: index_kind

    /// The library of the toolchain on the PATH; `nil` if it has none.
    static let installed = IndexLibrary(path: installedPath())

    private init?(path: String?) {
        guard let path, let handle = dlopen(path, RTLD_NOW) else { return nil }
        func function<Function>(_ name: String, as type: Function.Type) -> Function? {
            dlsym(handle, "indexstore_" + name).map { unsafeBitCast($0, to: type) }
        }
        guard let openStore = function("store_create", as: index_open_store.self),
            let eachUnit = function("store_units_apply_f", as: index_each_unit.self),
            let openUnit = function("unit_reader_create", as: index_open_reader.self),
            let closeUnit = function("unit_reader_dispose", as: index_close.self),
            let mainFile = function("unit_reader_get_main_file", as: index_text.self),
            let eachDependency = function(
                "unit_reader_dependencies_apply_f", as: index_each.self),
            let dependencyKind = function("unit_dependency_get_kind", as: index_kind.self),
            let dependencyName = function("unit_dependency_get_name", as: index_text.self),
            let openRecord = function("record_reader_create", as: index_open_reader.self),
            let closeRecord = function("record_reader_dispose", as: index_close.self),
            let eachOccurrence = function(
                "record_reader_occurrences_apply_f", as: index_each.self),
            let symbol = function("occurrence_get_symbol", as: index_symbol.self),
            let roles = function("occurrence_get_roles", as: index_roles.self),
            let place = function("occurrence_get_line_col", as: index_place.self),
            let symbolName = function("symbol_get_name", as: index_text.self),
            let symbolIdentifier = function("symbol_get_usr", as: index_text.self),
            let symbolKind = function("symbol_get_kind", as: index_kind.self)
        else { return nil }
        self.openStore = openStore
        self.eachUnit = eachUnit
        self.openUnit = openUnit
        self.closeUnit = closeUnit
        self.mainFile = mainFile
        self.eachDependency = eachDependency
        self.dependencyKind = dependencyKind
        self.dependencyName = dependencyName
        self.openRecord = openRecord
        self.closeRecord = closeRecord
        self.eachOccurrence = eachOccurrence
        self.symbol = symbol
        self.roles = roles
        self.place = place
        self.symbolName = symbolName
        self.symbolIdentifier = symbolIdentifier
        self.symbolKind = symbolKind
    }

    private static func installedPath() -> String? {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        let compilers = folders.lazy.map { URL(filePath: "\($0)/swift").resolvingSymlinksInPath() }
        return compilers.lazy.map {
            $0.deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "lib/libIndexStore.so").path
        }.first(where: FileManager.default.fileExists)
    }
}
