#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// Tests of the archives that `Scripts/release` makes of the programs of the debug build.
    @Suite(
        .waiting,
        .enabled("dpkg-deb or strip is not installed.") {
            ShippedFiles.isInstalled("dpkg-deb") && ShippedFiles.isInstalled("strip")
        })
    struct ReleaseTests {
        private let folder: TemporaryDirectory

        init() throws { folder = try TemporaryDirectory("release") }

        private func run(_ name: String, _ arguments: String...) throws -> String {
            let program = try #require(ShippedFiles.program(name))
            let (status, output) = try ShippedFiles.run(program, arguments)
            #expect(status == 0, "\(name) \(arguments): \(output)")
            return output
        }

        private func release(to name: String) throws {
            let products = try BuiltProducts.executable("anabranch").deletingLastPathComponent()
            let (status, output) = try ShippedFiles.run(
                ShippedFiles.package.appending(path: "Scripts/release"),
                ["--programs", products.path, "--output", folder.file(name)],
                environment: ["SOURCE_DATE_EPOCH": "1700000000"])
            try #require(status == 0, "\(output)")
        }

        private func file(_ suffix: String, in name: String) throws -> String {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.file(name))
            let found = try #require(names.first { $0.hasSuffix(suffix) })
            return folder.file("\(name)/\(found)")
        }

        @Test func `the archives hold programs that run, and are the same each time`() throws {
            try release(to: "a")
            try release(to: "b")
            let sums = try ["a", "b"].map {
                try String(contentsOfFile: folder.file("\($0)/SHA256SUMS"), encoding: .utf8)
            }
            #expect(sums[0] == sums[1])
            #expect(sums[0].split(separator: "\n").count == 2)
            _ = try run(
                "bash", "-c", "cd \"$1\" && sha256sum --check --strict SHA256SUMS", "bash",
                folder.file("a"))
            try expectPackage(try file(".deb", in: "a"))
            try expectArchive(try file(".tar.gz", in: "a"))
            if getuid() == 0 { try expectInstallation(of: try file(".deb", in: "a")) }
        }

        private func expectPackage(_ package: String) throws {
            let root = folder.file("root")
            _ = try run("dpkg-deb", "-x", package, root)
            try expectPrograms(in: "\(root)/usr/bin")
            let control = try run("dpkg-deb", "--field", package)
            for library in ["libsqlite3-0", "libmicrohttpd", "libpq5", "libcurl4"] {
                #expect(control.contains(library), "\(control)")
            }
            _ = try run("dpkg-deb", "-e", package, folder.file("control"))
            let settings = "/etc/anabranch/anabranchd.env"
            let conffiles = try String(
                contentsOfFile: folder.file("control/conffiles"), encoding: .utf8)
            #expect(conffiles == settings + "\n")
            let mode = try FileManager.default.attributesOfItem(atPath: root + settings)
            #expect(mode[.posixPermissions] as? Int == 0o600)
            for path in [
                "lib/systemd/system/anabranchd.service", "lib/systemd/system/anabranchd.socket",
                "lib/sysusers.d/anabranch.conf", "share/man/man1/anabranchd.1.gz",
                "share/bash-completion/completions/anabranch",
                "share/zsh/vendor-completions/_anabranch",
                "share/fish/vendor_completions.d/anabranchd.fish", "share/doc/anabranch/copyright",
            ] {
                #expect(FileManager.default.fileExists(atPath: "\(root)/usr/\(path)"), "\(path)")
            }
            let owners = try run("dpkg-deb", "-c", package).split(separator: "\n")
            #expect(owners.allSatisfy { $0.contains(" root/root ") })
        }

        /// Installs the package into a folder with dpkg, as the superuser may, and removes it.
        private func expectInstallation(of package: String) throws {
            let root = folder.file("installed")
            for path in ["info", "updates"] {
                try FileManager.default.createDirectory(
                    atPath: "\(root)/var/lib/dpkg/\(path)", withIntermediateDirectories: true)
            }
            try Data().write(to: URL(filePath: "\(root)/var/lib/dpkg/status"))
            let options = ["--root=\(root)", "--force-depends", "--force-script-chrootless"]
            _ = try run("dpkg", options[0], options[1], options[2], "--install", package)
            #expect(
                try run("dpkg", options[0], "--status", "anabranch")
                    .contains("Status: install ok installed"))
            try expectPrograms(in: "\(root)/usr/bin")
            if ShippedFiles.isInstalled("systemd-sysusers") {
                let users = try String(contentsOfFile: "\(root)/etc/passwd", encoding: .utf8)
                #expect(users.contains("anabranch:"))
            }
            let settings = "\(root)/etc/anabranch/anabranchd.env"
            _ = try run("dpkg", options[0], options[2], "--remove", "anabranch")
            #expect(!FileManager.default.fileExists(atPath: "\(root)/usr/bin/anabranchd"))
            #expect(FileManager.default.fileExists(atPath: settings))
            _ = try run("dpkg", options[0], options[2], "--purge", "anabranch")
            #expect(!FileManager.default.fileExists(atPath: settings))
        }

        private func expectArchive(_ archive: String) throws {
            let tree = folder.file("tree")
            try FileManager.default.createDirectory(
                atPath: tree, withIntermediateDirectories: true)
            _ = try run("tar", "-xzf", archive, "-C", tree, "--strip-components=1")
            try expectPrograms(in: "\(tree)/bin")
            for path in ["LICENSE", "man/anabranch.1", "systemd/anabranchd.socket"] {
                #expect(FileManager.default.fileExists(atPath: "\(tree)/\(path)"), "\(path)")
            }
        }

        private func expectPrograms(in path: String) throws {
            for name in ["anabranch", "anabranchd"] {
                let program = URL(filePath: path).appending(path: name)
                let version = try ChildProcess.output(of: program, ["--version"])
                #expect(version.hasPrefix("\(name) "))
                let symbols = try run("readelf", "--sections", "--wide", program.path)
                #expect(!symbols.contains(" .symtab "), "\(name) is not stripped.")
            }
        }

        @Test func `a folder without programs is an error that names the missing file`() throws {
            let (status, output) = try ShippedFiles.run(
                ShippedFiles.package.appending(path: "Scripts/release"),
                ["--programs", folder.path, "--output", folder.file("out")])
            #expect(status == 1)
            #expect(
                output.contains("there is no program \(folder.file("anabranch"))."), "\(output)")
            #expect(!FileManager.default.fileExists(atPath: folder.file("out")))
        }
    }
#endif
