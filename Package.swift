// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// With `ANABRANCH_FAST_TESTS` a debug build takes less time, and so do its tests: it has no debug
/// information, and optimizes the modules below all others, in which tests spend a third of their
/// time. Without it there are no unsafe flags, which dependants could not use.
let isFastForTests = Context.environment["ANABRANCH_FAST_TESTS"] != nil

func flagsForTests(_ flags: String...) -> [SwiftSetting] {
    isFastForTests ? [.unsafeFlags(flags, .when(configuration: .debug))] : []
}

let commonSettings: [SwiftSetting] =
    [
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("ExistentialAny"),
        .treatAllWarnings(as: .error),
        // Lets tests switch mechanisms off. The simulator's release build defines it too.
        .define("ANABRANCH_FAULTS", .when(configuration: .debug)),
    ] + flagsForTests("-whole-module-optimization", "-num-threads", "2", "-gnone")

let optimizedSettings = commonSettings + flagsForTests("-O", "-assert-config", "Debug")

let systemLibraries: [Target] = [
    .systemLibrary(
        name: "CSQLite", path: "Sources/CSQLite", pkgConfig: "sqlite3",
        providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    .systemLibrary(
        name: "CCurl", path: "Sources/CCurl", pkgConfig: "libcurl",
        providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
    .systemLibrary(
        name: "CZstd", path: "Sources/CZstd", pkgConfig: "libzstd",
        providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .systemLibrary(
        name: "CSodium", path: "Sources/CSodium", pkgConfig: "libsodium",
        providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
    .systemLibrary(
        name: "CZlib", path: "Sources/CZlib", pkgConfig: "zlib",
        providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(name: "CSystem", path: "Sources/CSystem"),
    .systemLibrary(name: "CAllocator", path: "Server/CAllocator"),
    .systemLibrary(name: "CIndexStore", path: "Tests/CIndexStore"),
    .systemLibrary(
        name: "CMicroHTTPD", path: "Server/CMicroHTTPD", pkgConfig: "libmicrohttpd",
        providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
    .systemLibrary(
        name: "CGnuTLS", path: "Server/CGnuTLS", pkgConfig: "gnutls",
        providers: [.apt(["libgnutls28-dev"]), .brew(["gnutls"])]),
    .systemLibrary(
        name: "COpenSSL", path: "Server/COpenSSL", pkgConfig: "libcrypto",
        providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .systemLibrary(
        name: "CPostgreSQL", path: "Server/CPostgreSQL", pkgConfig: "libpq",
        providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
]

func library(
    _ name: String, in folder: String = "Sources", uses: [Target.Dependency],
    settings: [SwiftSetting] = commonSettings
) -> Target {
    .target(name: name, dependencies: uses, path: "\(folder)/\(name)", swiftSettings: settings)
}

/// Golden files, which tests read from the source tree, so SwiftPM must ignore them.
func tests(_ name: String, of modules: [Target.Dependency], golden: Bool = false) -> Target {
    .testTarget(
        name: name, dependencies: modules + ["TestSupport"], path: "Tests/\(name)",
        exclude: golden ? ["Golden"] : [], swiftSettings: commonSettings)
}

let libraries: [Target] = [
    .target(
        name: "CICU", path: "Sources/CICU",
        linkerSettings: [.linkedLibrary("icui18n"), .linkedLibrary("icuuc")]),
    library("AnabranchReplication", uses: ["CSodium"], settings: optimizedSettings),
    library("AnabranchModel", uses: ["AnabranchReplication", "CICU"]),
    library("AnabranchProtocol", uses: ["AnabranchReplication"]),
    library("AnabranchSQLite", uses: ["CSQLite", "CSystem"], settings: optimizedSettings),
    library(
        "AnabranchStore",
        uses: [
            "AnabranchSQLite", "AnabranchReplication", "AnabranchModel", "CSodium", "CSystem",
        ]),
    library(
        "Anabranch",
        uses: ["AnabranchStore", "AnabranchReplication", "AnabranchModel", "AnabranchMacros"]),
    library(
        "AnabranchConversion",
        uses: [
            "AnabranchStore", "AnabranchSQLite", "AnabranchModel", "AnabranchReplication", "CZlib",
        ]),
    library(
        "AnabranchSync",
        uses: [
            "Anabranch", "AnabranchStore", "AnabranchProtocol", "AnabranchReplication",
            "AnabranchModel", "CCurl", "CZstd",
        ]),
    library(
        "AnabranchServer", in: "Server",
        uses: [
            "AnabranchProtocol", "AnabranchReplication", "AnabranchSQLite", "CMicroHTTPD",
            "CPostgreSQL", "CGnuTLS", "COpenSSL", "CZstd", "CSodium", "CCurl",
        ]),
]

let macros: [Target] = [
    library("AnabranchMacroExpansion", in: "Plugins", uses: []),
    .macro(
        name: "AnabranchMacros", dependencies: ["AnabranchMacroExpansion"],
        path: "Plugins/AnabranchMacros", swiftSettings: commonSettings),
]

let plugins: [Target] = [
    .executableTarget(
        name: "AnabranchModelTool", dependencies: ["AnabranchModel"],
        path: "Plugins/AnabranchModelTool", swiftSettings: commonSettings),
    .plugin(
        name: "AnabranchModelPlugin", capability: .buildTool(),
        dependencies: ["AnabranchModelTool"], path: "Plugins/AnabranchModelPlugin"),
]

let executables: [Target] = [
    .executableTarget(
        name: "AnabranchDaemon",
        dependencies: [
            "AnabranchServer", "AnabranchProtocol", "AnabranchReplication", "CAllocator",
        ],
        path: "Server/AnabranchDaemon", swiftSettings: commonSettings),
    .executableTarget(
        name: "AnabranchCLI",
        dependencies: ["Anabranch", "AnabranchConversion", "AnabranchSync"],
        path: "Client/AnabranchCLI", swiftSettings: commonSettings),
]

/// Both programs, which one build makes with `swift build --target Programs`.
let programs: Target = .target(
    name: "Programs", dependencies: ["AnabranchCLI", "AnabranchDaemon"],
    path: "Packaging/Programs", swiftSettings: commonSettings)

let examples: [Target] = [
    .executableTarget(
        name: "Cookbook", dependencies: ["Anabranch"], path: "Examples/Cookbook",
        packageAccess: false, swiftSettings: commonSettings),
    .executableTarget(
        name: "Departments", dependencies: ["Anabranch"], path: "Examples/Departments",
        packageAccess: false, swiftSettings: commonSettings),
    .executableTarget(
        name: "FirstSteps", dependencies: ["Anabranch", "AnabranchSync"],
        path: "Examples/FirstSteps", packageAccess: false, swiftSettings: commonSettings),
    .executableTarget(
        name: "Notes", dependencies: ["Anabranch", "AnabranchSync"], path: "Examples/Notes",
        packageAccess: false, swiftSettings: commonSettings),
]

let simulator: [Target] = [
    .target(
        name: "TestSupport",
        dependencies: [
            "Anabranch", "AnabranchSync", "AnabranchServer", "AnabranchStore", "AnabranchSQLite",
            "AnabranchProtocol", "AnabranchReplication", "AnabranchModel", "CSQLite",
        ],
        path: "Tests/TestSupport", swiftSettings: commonSettings),
    .target(
        name: "Simulator",
        dependencies: [
            "AnabranchSync", "AnabranchServer", "AnabranchStore", "AnabranchSQLite",
            "AnabranchProtocol", "AnabranchReplication", "AnabranchModel", "TestSupport",
        ],
        path: "Tests/Simulator", swiftSettings: commonSettings),
    .executableTarget(
        name: "Simulate", dependencies: ["Simulator"], path: "Tests/Simulate",
        swiftSettings: commonSettings),
]

let testTargets: [Target] = [
    tests("AnabranchReplicationTests", of: ["AnabranchReplication"], golden: true),
    tests("AnabranchModelTests", of: ["AnabranchModel"], golden: true),
    tests("AnabranchModelToolTests", of: ["AnabranchModelTool"], golden: true),
    tests(
        "AnabranchMacrosTests", of: ["AnabranchMacroExpansion", "AnabranchModelTool", "Anabranch"]),
    tests("AnabranchProtocolTests", of: ["AnabranchProtocol"]),
    tests("AnabranchSQLiteTests", of: ["AnabranchSQLite"]),
    tests("AnabranchStoreTests", of: ["AnabranchStore"], golden: true),
    tests("AnabranchTests", of: ["Anabranch"]),
    tests(
        "AnabranchConversionTests",
        of: ["AnabranchConversion", "Anabranch", "AnabranchSQLite", "AnabranchStore"]),
    tests("AnabranchSyncTests", of: ["AnabranchSync", "AnabranchServer"]),
    tests("AnabranchServerTests", of: ["AnabranchServer", "CPostgreSQL"], golden: true),
    tests("AnabranchCLITests", of: ["AnabranchCLI", "AnabranchDaemon", "AnabranchSQLite"]),
    tests("SimulationTests", of: ["Simulator", "AnabranchServer"]),
    tests(
        "ExampleTests", of: ["Cookbook", "Departments", "FirstSteps", "Notes"],
        golden: true),
    tests(
        "EndToEndTests",
        of: ["AnabranchCLI", "AnabranchDaemon", "AnabranchProtocol", "Simulate", "SyncWorker"]),
    .executableTarget(
        name: "SyncWorker", dependencies: ["Anabranch", "AnabranchSync", "TestSupport"],
        path: "Tests/SyncWorker", swiftSettings: commonSettings),
    tests("TestSupportTests", of: ["AnabranchSQLite"], golden: true),
    // An app beside Anabranch, which compiles if no public type takes one of these names.
    .target(
        name: "ForeignNames", path: "Tests/ForeignNames", packageAccess: false,
        swiftSettings: commonSettings),
    .target(
        name: "ForeignNamesApp",
        dependencies: ["Anabranch", "AnabranchConversion", "AnabranchSync", "ForeignNames"],
        path: "Tests/ForeignNamesApp", packageAccess: false, swiftSettings: commonSettings),
    .testTarget(
        name: "TidyTests",
        dependencies: [
            "AnabranchMacroExpansion", "AnabranchModel", "AnabranchProtocol",
            "AnabranchReplication", "AnabranchSQLite", "AnabranchServer", "AnabranchStore",
            "CIndexStore", "TestSupport",
        ],
        path: "Tests/TidyTests", exclude: ["Golden"],
        swiftSettings: commonSettings),
]

let package = Package(
    name: "Anabranch",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Anabranch", targets: ["Anabranch"]),
        .library(name: "AnabranchConversion", targets: ["AnabranchConversion"]),
        .library(name: "AnabranchSync", targets: ["AnabranchSync"]),
        .library(name: "AnabranchServer", targets: ["AnabranchServer"]),
        .executable(name: "anabranch", targets: ["AnabranchCLI"]),
        .executable(name: "anabranchd", targets: ["AnabranchDaemon"]),
        .plugin(name: "AnabranchModelPlugin", targets: ["AnabranchModelPlugin"]),
    ],
    targets: systemLibraries + libraries + macros + plugins + executables + [programs] + examples
        + simulator + testTargets,
    swiftLanguageModes: [.v6]
)
