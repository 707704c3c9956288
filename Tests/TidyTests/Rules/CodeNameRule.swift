import AnabranchMacroExpansion

/// A rule: the names in backquotes of documents and of the product's comments are those of code.
///
/// A word is known if code, a script or a path has it, or if it is a name of others. A function
/// with labels is known if a declaration of its name has them in this order, perhaps with others
/// between them, which have default values.
struct CodeNameRule {
    private var words = Self.namesOfOthers
    private var functions: [String: [[String]]] = [:]

    init(files: [SourceFile], paths: Set<String>) {
        for file in files where !file.isDocument { add(file) }
        for path in paths {
            words.formUnion(path.matches(of: /\w+/).map { String($0.0) })
        }
    }

    private mutating func add(_ file: SourceFile) {
        guard file.isSwift else {
            words.formUnion(file.text.matches(of: /\w+/).map { String($0.0) })
            return
        }
        let tokens = file.tokens.filter { $0.kind != .comment }
        for token in tokens {
            switch token.kind {
            case .word, .quotedWord: words.insert(token.text)
            case .mark, .number: break
            default: words.formUnion(token.text.matches(of: /\w+/).map { String($0.0) })
            }
        }
        for declaration in FunctionLabels.declarations(in: tokens) {
            functions[declaration.name, default: []].append(declaration.labels)
        }
    }

    func violations(in file: SourceFile) -> [Violation] {
        Self.prose(of: file).flatMap { line, text in
            let names = text.matches(of: /(`+)([^`]+)\1/).flatMap { unknown(in: $0.2) }.map {
                "There is no \($0) in the code. Correct the name, or add it to the names of others."
            }
            let places = text.matches(of: /[\w+]+\.(?:swift|c|h):[0-9]+/).map {
                "The line \($0.0) moves with each change. Name the declaration."
            }
            return (names + places).map { Violation(path: file.path, line: line, message: $0) }
        }
    }

    private func unknown(in code: Substring) -> [String] {
        // The names of tests are sentences, which another rule checks.
        guard !code.contains(/\w+Tests\//) else { return [] }
        let words = code.matches(of: /[A-Za-z0-9_]+/).map { String($0.0) }
            .filter { !isKnown($0) }
        let functions = code.matches(of: /(\w+)\(((?:\w+:)+)\)/)
            .filter { !isKnown(String($0.1), $0.2.split(separator: ":").map(String.init)) }
            .map { String($0.0) }
        return words + functions
    }

    /// Constants of C, words of SQL and places for a value are written in capitals and not checked.
    private func isKnown(_ word: String) -> Bool {
        !word.contains(where: \.isLowercase) || word.first?.isNumber == true
            || word.count >= Self.digestLength || words.contains(word)
            || Self.prefixesOfOthers.contains(where: word.hasPrefix)
    }

    private func isKnown(_ name: String, _ labels: [String]) -> Bool {
        // Types and macros: their initializers are declared by another name, or by the compiler.
        let isType = name.first(where: { $0 != "_" })?.isUppercase == true
        guard !isType, !Self.functionsOfOthers.contains(name) else { return true }
        return functions[name]?.contains { declared in
            var rest = labels[...]
            for label in declared where label == rest.first { rest.removeFirst() }
            return rest.isEmpty
        } ?? false
    }

    /// Returns the lines of a document outside code blocks, and those of comments.
    private static func prose(of file: SourceFile) -> [(line: Int, text: Substring)] {
        if file.isDocument {
            var isCode = false
            return file.lines.enumerated().compactMap { index, line in
                let isFence = line.drop { $0 == " " }.hasPrefix("```")
                if isFence { isCode.toggle() }
                return isCode || isFence ? nil : (index + 1, line)
            }
        }
        guard file.isSwift, file.isIn(ProseScope.sources) else { return [] }
        return file.tokens.filter { $0.kind == .comment && !$0.text.contains("```") }.flatMap {
            let first = $0.line
            return $0.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
                .map { (first + $0, $1) }
        }
    }

    /// The length of a digest in hexadecimal digits, from which on a word is no name.
    private static let digestLength = 40
    private static let prefixesOfOthers = ["NS", "CK", "SQLITE_"]
    private static let functionsOfOthers: Set<String> = [
        "allocate", "init", "obtainPermanentIDs", "sortedArray", "starts",
    ]

    /// Names of systems, libraries and models that documents compare, explain or use as examples.
    private static let namesOfOthers = Set(
        """
        Adults Book_authors Continue Everywhere MHD_quiesce_daemon My MyModel MyNotesModel
        PersonHomeLocation PluginMessage PredicateError Rename SortDescriptor StoresWillChange
        UndoManager ValueTransformer _FoundationICU ab_T_search ab_T_search_delete
        ab_T_search_insert ab_T_search_update ab_add ab_function ab_reduce_sum ab_reduce_sum_m
        ab_trial_n af age_name amcheck anabranch_VERSION_ARCHITECTURE civil_from_days
        crsql_begin_alter crypto_secretstream_xchacha20poly1305 days_from_civil displayOrder
        forFunction fuser journalctl memdb memfd name_2 obtainPermanentIDs p7 pg_basebackup
        pg_dump pg_type phones rel sortedArray sslmode stalenessInterval syn sysexits tN tN_M
        uXXXX version1 version2 version3
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}

/// The labels with which functions, subscripts and cases are declared.
enum FunctionLabels {
    /// - Parameter tokens: The tokens of a file without comments.
    static func declarations(in tokens: [SwiftToken]) -> [(name: String, labels: [String])] {
        tokens.indices.compactMap { index in
            let isSubscript = tokens[index].isWord("subscript")
            guard isSubscript || tokens[index].isWord("func") || tokens[index].isWord("case"),
                let open = tokens[index...].firstIndex(where: { $0.isMark("(") }),
                let end = tokens.indexAfterGroup(at: open), index < open
            else { return nil }
            let name = isSubscript ? tokens[index].text : tokens[index + 1].text
            return (name, labels(in: tokens[open + 1..<end - 1]))
        }
    }

    private static func labels(in parameters: ArraySlice<SwiftToken>) -> [String] {
        var (depth, starts, labels) = (0, true, [String]())
        for (index, token) in zip(parameters.indices, parameters) {
            if token.kind == .mark {
                if ["(", "[", "{"].contains(token.text) { depth += 1 }
                if [")", "]", "}"].contains(token.text) { depth -= 1 }
                if token.text == "," { starts = depth == 0 }
            } else if starts, depth == 0, let label = label(parameters[index...]) {
                labels.append(label)
                starts = false
            }
        }
        return labels
    }

    /// The label of a parameter that begins here: one word or two before a colon.
    private static func label(_ tokens: ArraySlice<SwiftToken>) -> String? {
        guard let first = tokens.first, let second = tokens.dropFirst().first else { return nil }
        if second.isMark(":") { return first.text }
        return tokens.dropFirst(2).first?.isMark(":") == true ? first.text : nil
    }
}
