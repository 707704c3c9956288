/// An error in a declaration, with its position and what to do.
struct Diagnostic: Equatable {
    let message: String
    /// The position in UTF-8 bytes from the start of the declaration's source.
    let offset: Int
    var fixIt: Remedy?

    /// A correction that an editor can offer.
    struct Remedy: Equatable {
        let message: String
        /// The replaced bytes.
        let range: Range<Int>
        let text: String
    }
}
