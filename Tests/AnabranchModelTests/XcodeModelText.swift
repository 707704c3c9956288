import Foundation

enum XcodeModelText {
    /// Returns the content as a whole model file; its first line is the third of the file.
    static func model(_ content: String) -> Data {
        Data(
            """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \
            userDefinedModelVersionIdentifier="v2">
            \(content)
            </model>
            """.utf8)
    }

    static let everything = """
        <entity name="Item" representedClassName=".Item" isAbstract="YES" syncable="YES">
          <attribute name="id" attributeType="UUID" usesScalarValueType="NO"/>
          <attribute name="title" optional="YES" attributeType="String" elementID="name" \
        minValueString="1" maxValueString="80"/>
          <attribute name="made" attributeType="Date" defaultDateTimeInterval="0" indexed="YES" \
        defaultValueString="now"/>
          <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" \
        destinationEntity="Tag" inverseName="items" inverseEntity="Tag"/>
          <fetchIndex name="byTitle"><fetchIndexElement property="title" type="Binary" \
        order="ascending"/></fetchIndex>
          <fetchIndex name="byTags"><fetchIndexElement property="tags" type="Binary" \
        order="ascending"/></fetchIndex>
          <uniquenessConstraints><uniquenessConstraint><constraint value="id"/>\
        </uniquenessConstraint></uniquenessConstraints>
          <userInfo><entry key="k" value="v"/></userInfo>
        </entity>
        <entity name="Note" representedClassName=".Note" parentEntity="Item" syncable="YES">
          <attribute name="pinned" attributeType="Boolean" defaultValueString="NO"/>
          <attribute name="size" attributeType="Integer 64" defaultValueString="0">
            <userInfo><entry key="anabranch.wireName" value="bytes"/></userInfo>
          </attribute>
          <fetchedProperty name="recent" optional="YES"><fetchRequest name="f" entity="Note"/>\
        </fetchedProperty>
        </entity>
        <entity name="Tag" representedClassName=".Tag" syncable="YES">
          <relationship name="items" optional="YES" toMany="YES" deletionRule="Nullify" \
        destinationEntity="Item" inverseName="tags" inverseEntity="Item"/>
          <relationship name="owner" optional="YES" destinationEntity="Tag"/>
        </entity>
        <fetchRequest name="byTitle" entity="Item" predicateString="title == $title"/>
        <configuration name="Cloud"><memberEntity name="Item"/></configuration>
        <elements><element name="Item" positionX="0" positionY="0" width="1" height="1"/></elements>
        """
}
