#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// Tests of the files that `Scripts/release` makes, from the programs of the debug build.
    @Suite(.enabled(if: PackagedFolder.isPossible, "dpkg-deb and strip are not installed"))
    struct ReleaseTests {
        private static let release = Result { try PackagedFolder() }

        @Test func `the package installs programs that run`() throws {
            let release = try Self.release.get()
            let root = try TemporaryDirectory("installed")
            try Shell.run("dpkg-deb", "-x", try release.file(endingWith: ".deb"), root.path)
            for program in ["anabranch", "anabranchd"] {
                let version = try Shell.run(root.file("usr/bin/\(program)"), "--version")
                #expect(version.hasPrefix("\(program) "))
            }
            for path in [
                "usr/lib/systemd/system/anabranchd.service",
                "usr/lib/systemd/system/anabranchd.socket", "usr/lib/sysusers.d/anabranch.conf",
                "usr/share/man/man1/anabranch.1.gz", "usr/share/man/man1/anabranchd.1.gz",
                "usr/share/bash-completion/completions/anabranch",
                "usr/share/zsh/vendor-completions/_anabranchd",
                "usr/share/fish/vendor_completions.d/anabranch.fish",
                "usr/share/doc/anabranch/copyright",
            ] {
                #expect(FileManager.default.fileExists(atPath: root.file(path)), "\(path)")
            }
            let configuration = root.file("etc/anabranch/anabranchd.conf")
            let check = try Shell.run(
                root.file("usr/bin/anabranchd"), "check-config", "--config", configuration)
            #expect(check.contains("store = sqlite:/var/lib/anabranch"))
        }

        @Test func `the package names the libraries that it needs`() throws {
            let file = try Self.release.get().file(endingWith: ".deb")
            let depends = try Shell.run("dpkg-deb", "-f", file, "Depends")
            for library in ["libc6", "libmicrohttpd12", "libpq5", "libsodium23", "libsqlite3-0"] {
                #expect(depends.contains(library), "\(depends)")
            }
            #expect(
                try Shell.run("dpkg-deb", "-I", file, "conffiles")
                    .contains("/etc/anabranch/anabranchd.conf"))
        }

        @Test func `the checksums are those of the files`() throws {
            let release = try Self.release.get()
            #expect(
                try Shell.run("sha256sum", "--check", "--strict", "SHA256SUMS", in: release.folder)
                    .components(separatedBy: ": OK\n").count == 3)
        }

        @Test func `the archive has the programs, and nothing of this machine`() throws {
            let file = try Self.release.get().file(endingWith: ".tar.gz")
            let list = try Shell.run("tar", "-tvzf", file)
            for path in ["bin/anabranchd", "share/man/man1/anabranch.1", "LICENSE"] {
                #expect(list.contains("/\(path)\n"), "\(list)")
            }
            for line in list.split(separator: "\n") {
                #expect(line.contains(" 0/0 "), "the owner is the superuser: \(line)")
            }
        }

        @Test func `the same programs make the same bytes`() throws {
            let first = try Self.release.get()
            let second = try PackagedFolder()
            #expect(try first.checksums() == second.checksums())
        }
    }

    /// A folder with the files that `Scripts/release` has made.
    struct PackagedFolder {
        static let isPossible = ["dpkg-deb", "strip", "ldd", "gzip"].allSatisfy {
            FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
        }

        private let directory: TemporaryDirectory
        var folder: String { directory.path }

        init() throws {
            directory = try TemporaryDirectory("release")
            let programs = try BuiltProducts.executable("anabranchd")
                .deletingLastPathComponent().path
            try Shell.run(
                Shell.package.appending(path: "Scripts/release").path, "--programs", programs,
                "--output", directory.path, environment: ["SOURCE_DATE_EPOCH": "1700000000"])
        }

        /// The path of the only file with an ending.
        func file(endingWith ending: String) throws -> String {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
                .filter { $0.hasSuffix(ending) }
            try #require(names.count == 1, "\(names)")
            return directory.file(names[0])
        }

        func checksums() throws -> String {
            try String(contentsOfFile: directory.file("SHA256SUMS"), encoding: .utf8)
        }
    }

    /// Runs programs of the system.
    enum Shell {
        /// The folder of `Package.swift`.
        static let package = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

        /// Runs a program that must succeed.
        ///
        /// - Returns: What it prints on standard output.
        @discardableResult
        static func run(
            _ program: String, _ arguments: String..., in folder: String? = nil,
            environment: [String: String] = [:]
        ) throws -> String {
            let process = Process()
            let (output, errors) = (Pipe(), Pipe())
            process.executableURL = URL(
                filePath: program.hasPrefix("/") ? program : "/usr/bin/\(program)")
            process.arguments = arguments
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = output
            process.standardError = errors
            process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            if let folder { process.currentDirectoryURL = URL(filePath: folder) }
            try process.run()
            let text = output.fileHandleForReading.readDataToEndOfFile()
            let complaint = errors.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            let (shown, status) = (
                String(decoding: complaint, as: UTF8.self), process.terminationStatus
            )
            try #require(status == 0, "\(program) \(arguments): \(shown)")
            return String(decoding: text, as: UTF8.self)
        }
    }
#endif
