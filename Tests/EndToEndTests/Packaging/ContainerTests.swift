#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// Checks of the files for containers and for Caddy, by the programs that read them.
    @Suite(.waiting) struct ContainerTests {
        private static var hasCompose: Bool { succeeds("docker", "compose", "version") }
        private static var hasBuildKit: Bool { succeeds("docker", "buildx", "inspect") }
        private static var hasYAML: Bool { succeeds("python3", "-c", "import yaml") }

        private static func succeeds(_ name: String, _ arguments: String...) -> Bool {
            guard let program = ShippedFiles.program(name) else { return false }
            return (try? ShippedFiles.run(program, arguments).status) == 0
        }

        private func run(_ name: String, _ arguments: String...) throws -> String {
            let program = try #require(ShippedFiles.program(name))
            let (status, output) = try ShippedFiles.run(
                program, arguments, environment: ["POSTGRES_PASSWORD": "example"])
            #expect(status == 0, "\(output)")
            return output
        }

        @Test(.enabled("Docker has no plug-in compose.") { hasCompose })
        func `Docker accepts compose.yaml`() throws {
            let path = ShippedFiles.url("docker/compose.yaml").path
            _ = try run("docker", "compose", "-f", path, "config", "--quiet")
        }

        @Test(.enabled("Docker's BuildKit is not usable.") { hasBuildKit })
        func `Docker accepts the Dockerfile`() throws {
            _ = try run(
                "docker", "build", "--check", "-f", ShippedFiles.url("docker/Dockerfile").path,
                ShippedFiles.package.path)
        }

        @Test(.enabled("caddy is not installed.") { ShippedFiles.isInstalled("caddy") })
        func `Caddy accepts the Caddyfile`() throws {
            _ = try run(
                "caddy", "validate", "--adapter", "caddyfile", "--config",
                ShippedFiles.url("caddy/Caddyfile").path)
        }

        /// The daemons of compose.yaml are the servers of its proxy, and all use one database.
        @Test(.enabled("Python has no module yaml.") { hasYAML })
        func `the daemons of compose.yaml share a database behind the proxy`() throws {
            let text = try run(
                "python3", "-c",
                "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))",
                ShippedFiles.url("docker/compose.yaml").path)
            let file = try #require(
                try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            let services = try #require(file["services"] as? [String: [String: Any]])
            let daemons = services.filter { $0.value["image"] as? String == "anabranchd" }
            #expect(daemons.count == 3)
            for daemon in daemons.values {
                let variables = daemon["environment"] as? [String: String]
                #expect(
                    variables?["ANABRANCHD_STORE"] == "postgres://anabranch@database/anabranch")
            }
            let proxy = try ShippedFiles.text("docker/nginx.conf")
            let servers = proxy.matches(of: /server (anabranchd-\d):8080/).map { String($0.1) }
            #expect(Set(servers) == Set(daemons.keys))
        }

        /// The packages of the build stage are those that `Scripts/setup` would install.
        @Test func `the Dockerfile installs the libraries and runs no superuser`() throws {
            let file = try ShippedFiles.text("docker/Dockerfile")
            for package in ScriptSetupTests.packages {
                #expect(file.contains(" \(package) "), "\(package)")
            }
            let last = try #require(file.components(separatedBy: "\nFROM ").last)
            #expect(last.contains("\nUSER 10001:10001\n"))
            #expect(last.contains("/v1/ready"))
        }
    }
#endif
