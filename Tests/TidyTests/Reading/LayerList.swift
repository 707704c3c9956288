/// The order of each module's folders, as `Documentation/Architecture.md` lists it.
///
/// A heading names the module's folder: `### Sources/AnabranchStore`. The items of the list below
/// it begin with one folder or several in code quotes, the lowest layer first. Folders of one item
/// are one layer. A dot stands for the files that are directly in the module's folder.
///
/// An item that begins with *Exception* lets one folder use another one above it:
/// ``- Exception: `File` uses `State`, because …``.
struct LayerList {
    struct Exception: Hashable {
        let user: String
        let used: String
    }

    struct Module {
        /// The path of the module's folder, without a slash at its end.
        let path: String
        /// The folders of each layer, lowest first.
        var layers: [[String]] = []
        var exceptions: Set<Exception> = []

        /// The layer of a file; `nil` if the list does not name its folder.
        ///
        /// - Parameter file: The file's path below the root.
        func layer(of file: String) -> (index: Int, folder: String)? {
            guard file.hasPrefix(path + "/") else { return nil }
            let parts = file.dropFirst(path.count + 1).split(separator: "/")
            let folder = parts.count > 1 ? String(parts[0]) : "."
            return layers.firstIndex { $0.contains(folder) }.map { ($0, folder) }
        }
    }

    private(set) var modules: [Module] = []

    init(of document: String) {
        for line in document.split(separator: "\n") {
            if line.hasPrefix("#") {
                let isModule = line.hasPrefix("### ") && line.contains("/")
                modules.append(Module(path: isModule ? String(line.dropFirst(4)) : ""))
            } else if line.hasPrefix("- "), let last = modules.indices.last {
                addItem(line.dropFirst(2), to: &modules[last])
            }
        }
        modules.removeAll { $0.path.isEmpty || $0.layers.isEmpty }
    }

    private func addItem(_ item: Substring, to module: inout Module) {
        let quoted = item.split(separator: "`", omittingEmptySubsequences: false)
        if item.hasPrefix("Exception:"), quoted.count > 3 {
            module.exceptions.insert(Exception(user: String(quoted[1]), used: String(quoted[3])))
        } else if item.hasPrefix("`") {
            let names = item.prefix { $0 != ":" }.split(separator: "`")
            let folders = names.filter { !$0.allSatisfy { $0 == "," || $0 == " " } }
            module.layers.append(folders.map(String.init))
        }
    }
}
