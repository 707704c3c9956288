#if !canImport(UIKit) && !canImport(AppKit)
    public import Foundation

    // As UIKit and AppKit have it, for where they are not.
    extension IndexPath {
        /// The place of an object in a section.
        public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

        /// −1 of a path without a first index, which no section has.
        public var section: Int { isEmpty ? -1 : self[0] }
        /// −1 of a path without a second index, which no object has.
        public var item: Int { count < 2 ? -1 : self[1] }
    }
#endif
