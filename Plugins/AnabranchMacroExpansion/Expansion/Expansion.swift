/// The result of a macro for a declaration.
struct Expansion: Equatable {
    var source = ""
    /// The errors with offsets into the declaration.
    var complaints: [Complaint] = []
    /// The errors with offsets into the attribute.
    var attributeComplaints: [Complaint] = []

    init(source: String = "", complaints: [Complaint] = []) {
        self.source = source
        self.complaints = complaints
    }

    init(complaint: Complaint) { complaints = [complaint] }

    init(attributeComplaint: Complaint) { attributeComplaints = [attributeComplaint] }
}
