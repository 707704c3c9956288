/// The modules that each module may import.
///
/// SwiftPM accepts an import of any transitive dependency, so only ``ImportRule``, which reads this
/// table, enforces the layers. A new dependency is decided first and then added here.
struct ImportTable {
    /// The parts of the platform that a module may use beside the standard library.
    enum Platform {
        /// The whole of Foundation; no queues, no locks, no C library.
        case foundation
        /// FoundationEssentials where it exists; no queues, no locks, no C library.
        case essentials
        /// FoundationEssentials where it exists; queues, locks and the C library.
        case essentialsAndSystem
        /// Everything above.
        case whole
    }

    struct Row {
        let platform: Platform
        let modules: Set<String>

        init(_ platform: Platform, _ modules: Set<String> = []) {
            self.platform = platform
            self.modules = modules
        }
    }

    let rows: [String: Row]
    /// The products that programs in `Examples/` may import beside the platform.
    let products: Set<String>

    static let anabranch = ImportTable(
        rows: [
            "AnabranchReplication": Row(.essentials, ["CSodium"]),
            "AnabranchModel": Row(.foundation, ["AnabranchReplication", "CICU", "FoundationXML"]),
            "AnabranchProtocol": Row(.essentials, ["AnabranchReplication"]),
            "AnabranchSQLite": Row(.essentialsAndSystem, ["CSQLite", "CSystem"]),
            "AnabranchStore": Row(
                .whole,
                [
                    "AnabranchSQLite", "AnabranchReplication", "AnabranchModel", "CSodium",
                    "CSystem",
                ]),
            "Anabranch": Row(
                .whole, ["AnabranchStore", "AnabranchReplication", "AnabranchModel"]),
            "AnabranchConversion": Row(
                .whole,
                [
                    "AnabranchStore", "AnabranchSQLite", "AnabranchModel", "AnabranchReplication",
                    "CZlib",
                ]),
            "AnabranchSync": Row(
                .whole,
                [
                    "Anabranch", "AnabranchStore", "AnabranchProtocol", "AnabranchReplication",
                    "AnabranchModel", "CCurl", "CZstd",
                ]),
            "AnabranchServer": Row(
                .whole,
                [
                    "AnabranchProtocol", "AnabranchReplication", "AnabranchSQLite",
                    "CCurl", "CGnuTLS", "CMicroHTTPD", "COpenSSL", "CPostgreSQL", "CSodium",
                    "CZstd",
                ]),
            "AnabranchDaemon": Row(
                .whole,
                [
                    "AnabranchServer", "AnabranchProtocol", "AnabranchReplication", "CAllocator",
                ]),
            "AnabranchCLI": Row(
                .whole,
                [
                    "Anabranch", "AnabranchConversion", "AnabranchSync", "AnabranchModel",
                    "AnabranchReplication",
                ]),
            "AnabranchModelTool": Row(.whole, ["AnabranchModel"]),
            "AnabranchMacroExpansion": Row(.whole),
            "AnabranchMacros": Row(.whole, ["AnabranchMacroExpansion"]),
            "AnabranchModelPlugin": Row(.whole, ["PackagePlugin"]),
        ],
        products: [
            "Anabranch", "AnabranchConversion", "AnabranchSync", "AnabranchServer",
        ])
}

extension ImportTable.Platform {
    /// The platform's modules that are allowed, inside any `#if`.
    var modules: Set<String> {
        let language: Set = ["Swift", "_Concurrency"]
        let system: Set = [
            "Dispatch", "Synchronization", "Glibc", "Musl", "Android", "Darwin",
        ]
        let foundation: Set = ["Foundation", "FoundationEssentials"]
        return switch self {
        case .foundation: language.union(foundation)
        case .essentials: language
        case .essentialsAndSystem: language.union(system)
        case .whole: language.union(system).union(foundation).union(["Observation"])
        }
    }

    /// Whether Foundation is only the fallback for platforms without FoundationEssentials.
    var isEssentials: Bool {
        switch self {
        case .essentials, .essentialsAndSystem: true
        case .foundation, .whole: false
        }
    }
}
