import Anabranch
import AnabranchConversion
import AnabranchSync
import ForeignNames

/// An app that imports a module of usual names beside Anabranch.
enum ForeignNamesApp {
    /// The types of the other module. A name that Anabranch took too would be ambiguous here.
    static let types: [Any.Type] = [
        Attribute.self, Cache.self, Category.self, Change.self, Client.self, Column.self,
        Configuration.self, Conflict.self, Connection.self, Context.self, Counter.self, Cursor.self,
        Database.self, Delete.self, Digest.self, Document.self, Dot.self, Duplicate.self,
        Entity.self, Error.self, Event.self, Field.self, Filter.self, Group.self, History.self,
        Index.self, Item.self, Key.self, Limits.self, Link.self, List.self, Location.self,
        Logger.self, Message.self, Model.self, Node.self, Operation.self, Options.self, Orphan.self,
        Path.self, Prefix.self, Query.self, Record.self, Reference.self, Register.self,
        Rejection.self, Relationship.self, Request.self, Response.self, Result.self,
        RetryPolicy.self, Row.self, Rows.self, Schema.self, Section.self, Session.self, Side.self,
        Snapshot.self, Stage.self,
        Stamp.self, State.self, Status.self, Store.self, Table.self, Tag.self, Token.self,
        Transaction.self, Unique.self, User.self, Value.self, Verification.self,
    ]
}

/// A class whose macro is expanded among these names.
@Anabranch.Entity
final class Day: ManagedObject {
    var number: Int64 = 0
    var text: String?
    var next: Day?
}
