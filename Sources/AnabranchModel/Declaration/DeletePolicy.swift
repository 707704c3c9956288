/// What becomes of an object that one replica deletes while another, without knowing of it,
/// changes it.
public enum DeletePolicy: Int, Hashable, Sendable, CaseIterable {
    /// The object stays deleted; what was changed goes to the conflict journal.
    case deleteWins = 0
    /// The object comes back with all that it held, as soon as it holds a value that no delete has
    /// seen.
    case updateWins = 1
}
