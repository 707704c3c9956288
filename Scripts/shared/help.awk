# Reads the help texts of a program, each after a line with the byte 1 and the command's name (empty
# for the overview), and writes one record a line, with fields that tabs separate:
#
#   text NAME         the help of a command begins
#   heading TEXT      a line without indentation that ends with a colon
#   paragraph TEXT    lines without indentation, joined
#   usage TEXT        a usage line
#   item NAME TEXT    a name with its description: an option, an argument, a command
#   example TEXT      a command line of an example, followed by an item without a name
#   literal TEXT      any other indented line

function flush() {
    if (paragraph != "") print "paragraph\t" paragraph
    if (name != "") print "item\t" name "\t" text
    paragraph = name = text = ""
}

/^\001/ {
    flush()
    section = ""
    print "text\t" substr($0, 2)
    next
}

/^$/ { flush(); section = ""; next }

/^Usage: / { flush(); print "usage\t" substr($0, 8); next }

/^[^ ].*:$/ && paragraph == "" {
    flush()
    section = substr($0, 1, length($0) - 1)
    if (section != "Usage") print "heading\t" section
    next
}

/^[^ ]/ { if (name != "") flush(); paragraph = paragraph (paragraph == "" ? "" : " ") $0; next }

section == "Usage" { sub(/^ +/, ""); print "usage\t" $0; next }

section == "Examples" {
    indent = match($0, /[^ ]/)
    sub(/^ +/, "")
    if (indent > 3) print "meaning\t" $0; else print "example\t" $0
    next
}

# A name begins after two spaces, and two spaces separate it from its description.
/^  [^ ]/ {
    flush()
    line = substr($0, 3)
    if (match(line, /   *[^ ]/)) {
        name = substr(line, 1, RSTART - 1)
        text = substr(line, RSTART + RLENGTH - 1)
    } else if (line ~ /^-/) {
        name = line
    } else {
        print "literal\t" line
    }
    next
}

name != "" { sub(/^ +/, ""); text = text (text == "" ? "" : " ") $0; next }

{ print "literal\t" $0 }

END { flush() }
