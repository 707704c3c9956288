import Anabranch
import ForeignNames

/// An app that imports a module of usual names beside Anabranch.
enum ForeignNamesApp {
    /// The types whose names are the other module's alone. A name that Anabranch took too would be
    /// ambiguous here.
    static let types: [Any.Type] = [
        Cache.self, Category.self, Change.self, Client.self, Column.self, Connection.self,
        Context.self, Counter.self, Cursor.self, Database.self, Delete.self, Document.self,
        Dot.self, Error.self, Event.self, Field.self, Filter.self, Group.self, History.self,
        Item.self, Key.self, Limits.self, Link.self, List.self, Location.self, Logger.self,
        Message.self, Model.self, Node.self, Operation.self, Options.self, Path.self,
        Prefix.self, Query.self, Record.self, Reference.self, Register.self, Request.self,
        Response.self, Result.self, Row.self, Rows.self, Schema.self, Section.self, Session.self,
        Side.self, Snapshot.self, Stage.self, Stamp.self, State.self, Status.self, Store.self,
        Table.self, Tag.self, Token.self, Transaction.self, User.self, Verification.self,
    ]
    /// The types whose names Anabranch has too.
    static let qualifiedTypes: [Any.Type] = [
        ForeignNames.Attribute.self, ForeignNames.Configuration.self, ForeignNames.Conflict.self,
        ForeignNames.Digest.self, ForeignNames.Duplicate.self, ForeignNames.Entity.self,
        ForeignNames.Index.self, ForeignNames.Rejection.self, ForeignNames.Relationship.self,
        ForeignNames.Unique.self, ForeignNames.Value.self,
    ]
}

/// A class whose macro is expanded among these names.
@Anabranch.Entity
final class Day: ManagedObject {
    var number: Int64 = 0
    var text: String?
    var next: Day?
}
