// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "People",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Anabranch", path: "../..")],
    targets: [
        .executableTarget(
            name: "People",
            dependencies: [.product(name: "Anabranch", package: "Anabranch")],
            swiftSettings: [.treatAllWarnings(as: .error)],
            plugins: [.plugin(name: "AnabranchModelPlugin", package: "Anabranch")])
    ],
    swiftLanguageModes: [.v6]
)
