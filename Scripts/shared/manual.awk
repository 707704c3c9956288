# Makes a manual page (man(7)) of the records that help.awk writes. Variables: program, version,
# date, summary, see.

# Returns text in which no character has a meaning for troff.
function plain(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/…/, "...", text)
    if (text ~ /^[.']/) text = "\\\&" text
    return text
}

# Prints text in lines of at most 80 bytes.
function show(text,    words, count, i, line) {
    count = split(plain(text), words, " ")
    line = words[1]
    for (i = 2; i <= count; i++) {
        if (length(line) + length(words[i]) < 78) { line = line " " words[i]; continue }
        print line
        line = words[i] ~ /^[.\x27]/ ? "\\\&" words[i] : words[i]
    }
    print line
}

# Begins a paragraph, unless a heading has just done so.
function paragraph() { if (!fresh) print ".PP"; fresh = 0 }

BEGIN {
    FS = "\t"
    print ".TH " toupper(program) " 1 " date " \"" program " " version "\" \"User Commands\""
    print ".SH NAME"
    print plain(program) " \\- " plain(summary)
}

$1 == "text" && $2 == "" { overview = 1; next }

$1 == "text" {
    if (!commands) print ".SH COMMANDS"
    commands = 1
    overview = 0
    print ".SS " plain(program " " $2)
    fresh = 1
    next
}

$1 == "usage" && overview && !synopsis { print ".SH SYNOPSIS"; synopsis = 1 }

$1 == "usage" {
    print ".nf\n\\fB" plain($2) "\\fR\n.fi"
    fresh = 0
    next
}

$1 == "heading" && overview {
    print ".SH " toupper(plain($2))
    headed = 1
    next
}
$1 == "heading" { paragraph(); print "\\fI" plain($2) ":\\fR"; next }

$1 == "paragraph" && overview && !headed {
    # The synopsis comes first; the daemon's help begins with its description.
    if (!synopsis) { waiting = $2; next }
    print ".SH DESCRIPTION"
    headed = 1
    if (waiting != "") { show(waiting); print ".PP" }
    show($2)
    next
}
$1 == "paragraph" { paragraph(); show($2); next }

$1 == "item" { print ".TP\n\\fB" plain($2) "\\fR"; show($3); fresh = 0; next }
$1 == "example" { paragraph(); print ".nf\n" plain($2) "\n.fi"; next }
$1 == "meaning" { print ".RS"; show($2); print ".RE"; next }
$1 == "literal" { print ".nf\n" plain($2) "\n.fi"; next }

END {
    print ".SH SEE ALSO"
    print ".BR " see " (1)"
}
