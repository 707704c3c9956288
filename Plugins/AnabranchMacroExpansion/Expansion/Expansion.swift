/// What a macro makes of a declaration.
struct Expansion: Equatable {
    var source = ""
    /// With offsets into the declaration.
    var complaints: [Complaint] = []
    /// With offsets into the attribute.
    var attributeComplaints: [Complaint] = []

    init(source: String = "", complaints: [Complaint] = []) {
        self.source = source
        self.complaints = complaints
    }

    init(complaint: Complaint) { complaints = [complaint] }

    init(attributeComplaint: Complaint) { attributeComplaints = [attributeComplaint] }
}
