import Foundation
import PackagePlugin

/// Generates the classes of every model in a target's folder, again after a model changes.
@main
struct AnabranchModelPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let tool = try context.tool(named: "AnabranchModelTool")
        return models(in: target.directoryURL).map { model in
            let name = model.deletingPathExtension().lastPathComponent
            let output = context.pluginWorkDirectoryURL.appending(path: "\(name)+Classes.swift")
            return .buildCommand(
                displayName: "Classes of \(model.lastPathComponent)", executable: tool.url,
                arguments: [model.path, output.path], inputFiles: contents(of: model),
                outputFiles: [output])
        }
    }

    /// The versioned models, and the models that are not part of one.
    private func models(in folder: URL) -> [URL] {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var found: [URL] = []
        while let file = files?.nextObject() as? URL {
            guard ["xcdatamodeld", "xcdatamodel"].contains(file.pathExtension) else { continue }
            files?.skipDescendants()
            found.append(file)
        }
        return found.sorted { $0.path < $1.path }
    }

    /// The files of a model.
    private func contents(of model: URL) -> [URL] {
        let files = FileManager.default.enumerator(
            at: model, includingPropertiesForKeys: [.isRegularFileKey])
        var found: [URL] = []
        while let file = files?.nextObject() as? URL {
            let isFile = try? file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile
            if isFile == true { found.append(file) }
        }
        return found.sorted { $0.path < $1.path }
    }
}
