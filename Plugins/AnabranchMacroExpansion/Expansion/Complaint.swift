/// What is wrong with a declaration, where, and what to do about it.
struct Complaint: Equatable {
    let message: String
    /// In UTF-8 bytes from the start of the declaration's source.
    let offset: Int
    var remedy: Remedy?

    /// A change that an editor may offer.
    struct Remedy: Equatable {
        let message: String
        /// Of what is replaced.
        let range: Range<Int>
        let text: String
    }
}
