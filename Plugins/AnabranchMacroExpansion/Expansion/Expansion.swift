/// The result of a macro for a declaration.
struct Expansion: Equatable {
    var source = ""
    /// The errors with offsets into the declaration.
    var diagnostics: [Diagnostic] = []
    /// The errors with offsets into the attribute.
    var attributeComplaints: [Diagnostic] = []

    init(source: String = "", diagnostics: [Diagnostic] = []) {
        self.source = source
        self.diagnostics = diagnostics
    }

    init(diagnostic: Diagnostic) { diagnostics = [diagnostic] }

    init(attributeComplaint: Diagnostic) { attributeComplaints = [attributeComplaint] }
}
