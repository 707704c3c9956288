import AnabranchProtocol
import AnabranchServer
import Foundation

/// The command `anabranchd token create|list|revoke`.
enum TokenCommand {
    static func run(_ arguments: [String]) throws {
        var options = try CommandOptions(
            arguments, of: "token", known: ["store", "zone", "role", "expires", "audit-log"])
        guard !options.wantsHelp else { return print(HelpText.token) }
        switch try options.action(of: ["create", "list", "revoke"]) {
        case "create": try create(&options)
        case "list": try list(&options)
        default: try revoke(&options)
        }
    }

    private static func create(_ options: inout CommandOptions) throws {
        guard options.words.count == 1 else {
            throw options.usage(
                "There are too many words: \"\(options.words[1])\" is not expected.")
        }
        let zones = try options.zones(try options.required("zone", as: "the zone's name"))
        let text = try options.required("role", as: "read, write or admin")
        guard let role = TokenRole(rawValue: text) else {
            throw options.usage("The option --role takes read, write or admin, not \"\(text)\".")
        }
        let expires = try options.expiry()
        let audit = try ServeSettings(options).auditLog()
        let store = try options.store(creating: true)
        defer { store.close() }
        let (token, secret) = try store.createToken(for: zones, role: role, expires: expires)
        do { try audit?.write(TokenRecord(.create, of: token, by: account)) } catch {
            // No token works that the audit log does not have.
            _ = try store.tokens.revoke(token.number)
            throw error
        }
        print(secret.text)
    }

    private static func list(_ options: inout CommandOptions) throws {
        guard options.words.count == 1 else {
            throw options.usage(
                "There are too many words: \"\(options.words[1])\" is not expected.")
        }
        let zone = try options["zone"].map { try options.zone($0) }
        let store = try options.store()
        defer { store.close() }
        let rows = try store.tokens.tokens(zone: zone).map { token in
            [
                "\(token.number)", token.zones.description, token.role.rawValue,
                time(token.created), token.lastUsed.map(time) ?? "never", state(of: token),
            ]
        }
        print(table([["NUMBER", "ZONE", "ROLE", "CREATED", "LAST USED", "STATE"]] + rows))
    }

    private static func revoke(_ options: inout CommandOptions) throws {
        guard options.words.count == 2, let number = Int64(options.words[1]) else {
            throw options.usage("The number of the token is missing: \"token list\" shows it.")
        }
        let audit = try ServeSettings(options).auditLog()
        let store = try options.store()
        defer { store.close() }
        guard let token = try store.tokens.revoke(number) else {
            throw HTTPServerError(
                "There is no token \(number): \"anabranchd token list\" shows them.")
        }
        try audit?.write(TokenRecord(.revoke, of: token, by: account))
        print("Token \(token.number) of zone \(token.zones) is revoked.")
    }

    /// The name of the account that runs this command, or else its number.
    private static var account: String {
        let number = geteuid()
        return getpwuid(number).map { String(cString: $0.pointee.pw_name) } ?? "\(number)"
    }

    private static func state(of token: AccessToken) -> String {
        if let revoked = token.revoked { return "revoked \(time(revoked))" }
        guard let end = token.expires else { return "valid" }
        return end <= ServerEnvironment.system.wallMilliseconds()
            ? "expired \(time(end))" : "valid until \(time(end))"
    }

    private static func time(_ milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000).formatted(.iso8601)
    }

    private static func table(_ rows: [[String]]) -> String {
        let widths = rows[0].indices.map { column in
            rows.map { $0[column].count }.max() ?? 0
        }
        return rows.map { row in
            zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }.joined(separator: "  ").trimmedAtEnd
        }.joined(separator: "\n")
    }
}

extension CommandOptions {
    func zone(_ text: String) throws -> ZoneName {
        do { return try ZoneName(text) } catch { throw usage(error.message) }
    }
}

extension CommandOptions {
    fileprivate func zones(_ text: String) throws -> ZonePattern {
        do { return try ZonePattern(text) } catch { throw usage(error.message) }
    }

    /// The time that `--expires` names, in milliseconds since 1970-01-01 UTC; `nil` without it.
    fileprivate func expiry() throws -> Int64? {
        guard let text = self["expires"] else { return nil }
        let now = ServerEnvironment.system.wallMilliseconds()
        let end = Self.span(text).map { now + $0 } ?? Self.time(text)
        guard let end, end > now else {
            throw usage(
                "The option --expires takes a time from now, as in 90d, 12h or 30m, or a later "
                    + "time, as in 2030-01-31T00:00:00Z, not \"\(text)\".")
        }
        return end
    }

    private static func span(_ text: String) -> Int64? {
        let units: [Character: Int64] = ["d": 86_400_000, "h": 3_600_000, "m": 60_000]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
            (1...1_000_000).contains(count)
        else { return nil }
        return count * unit
    }

    private static func time(_ text: String) -> Int64? {
        (try? Date(text, strategy: .iso8601)).map { Int64($0.timeIntervalSince1970 * 1000) }
    }
}

extension String {
    fileprivate var trimmedAtEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
