import Foundation

/// Messages in the compiler's format, and the replies, without the plug-in's own types.
struct CompilerMessage {
    let json: Data

    /// A recorded message of Swift 6.3.1, with other declarations.
    static func attached(
        _ type: String, as name: String = "Entity ", role: String, attribute: String,
        declaration: String, parent: String? = nil, context: [String] = []
    ) throws -> CompilerMessage {
        var content: [String: Any] = [
            "attributeSyntax": syntax(attribute, kind: "attribute"),
            "declSyntax": syntax(declaration), "discriminator": "$s3App6PersonC3age6EntityfMr_",
            "lexicalContext": context.map { syntax($0) },
            "macro": ["moduleName": "AnabranchMacros", "name": name, "typeName": type],
            "macroRole": role, "staticBuildConfiguration": "{\"compilerVersion\":{}}",
        ]
        content["parentDeclSyntax"] = parent.map { syntax($0) }
        return try CompilerMessage(["expandAttachedMacro": content])
    }

    /// A recorded message of Swift 6.3.1 about a freestanding macro, with other source.
    static func freestanding(
        _ type: String, as name: String, role: String = "declaration", source: String,
        context: [String] = []
    ) throws -> CompilerMessage {
        try CompilerMessage([
            "expandFreestandingMacro": [
                "discriminator": "$s3App0011Appswift_6UniquefMf_",
                "lexicalContext": context.map { syntax($0) },
                "macro": ["moduleName": "AnabranchMacros", "name": name, "typeName": type],
                "macroRole": role, "staticBuildConfiguration": "{}",
                "syntax": syntax(source, kind: "declaration"),
            ]
        ])
    }

    private static func syntax(_ source: String, kind: String = "declaration") -> [String: Any] {
        let location: [String: Any] = [
            "column": 3, "fileID": "App/App.swift", "fileName": "/App/App.swift", "line": 2,
            "offset": 100,
        ]
        return ["kind": kind, "location": location, "source": source]
    }

    init(_ object: [String: Any]) throws {
        json = try JSONSerialization.data(withJSONObject: object)
    }

    init(text: String) { json = Data(text.utf8) }

    /// The message with its length in front.
    var framed: Data {
        Data((0..<8).map { UInt8(truncatingIfNeeded: json.count >> (8 * $0)) }) + json
    }

    static let capability = CompilerMessage(
        text: #"{"getCapability":{"capability":{"protocolVersion":7}}}"#)
}

/// A plug-in's reply, read as the compiler reads it.
struct PluginAnswer {
    let kind: String
    let content: [String: Any]

    init(_ json: Data) throws {
        let object = try JSONSerialization.jsonObject(with: json) as? [String: [String: Any]] ?? [:]
        kind = object.keys.sorted().joined(separator: ", ")
        content = object.values.first ?? [:]
    }

    var source: String? { content["expandedSource"] as? String }
    var diagnostics: [[String: Any]] { content["diagnostics"] as? [[String: Any]] ?? [] }
    var messages: [String] { diagnostics.compactMap { $0["message"] as? String } }
    var offsets: [Int] {
        diagnostics.compactMap { ($0["position"] as? [String: Any])?["offset"] as? Int }
    }
}
