# Makes completions of the records that help.awk writes. Variables: program; shell, which is bash,
# zsh or fish. A command has one or two words. An option whose value is a FILE or FOLDER takes names
# of files, and one whose value is written as a|b takes one of these.

function quoted(text) { gsub(/'/, "'\\''", text); return "'" text "'" }
# The first sentence, as a description.
function short(text) { sub(/[.;:] .*/, "", text); sub(/\.$/, "", text); return text }
# A description in a zsh specification, in which brackets and colons have a meaning.
function bare(text) { text = short(text); gsub(/\[|\]|:|\\/, " ", text); return text }

BEGIN { FS = "\t" }

$1 == "text" { command = $2; if (command != "") order[++count] = command; next }

$1 == "paragraph" && command != "" && !(command in about) {
    text = $2
    if (index(text, program " " command " ") == 1) text = substr(text, length(program command) + 3)
    about[command] = short(text)
    next
}

# The daemon's help lists some actions and options in its usage lines alone.
$1 == "usage" && command != "" {
    line = $2
    if (split(line, words, " ") > 2 && words[1] == program && words[2] == command \
        && words[3] ~ /^[a-z][-a-z]*$/ && !((command, words[3]) in seen)) {
        seen[command, words[3]] = 1
        actions[command] = actions[command] " " words[3]
    }
    while (match(line, /--[a-z][-a-z]*( [^\[\] ]+)?/)) {
        split(substr(line, RSTART, RLENGTH), parts, " ")
        add(command, parts[1], parts[2] ~ /^-/ ? "" : parts[2], "")
        delete parts
        line = substr(line, RSTART + RLENGTH)
    }
}

$1 == "item" && $2 ~ /^-/ && command != "" {
    form = $2
    sub(/^-[a-z], /, "", form)
    place = index(form, " ")
    add(command, place ? substr(form, 1, place - 1) : form, place ? substr(form, place + 1) : "", $3)
}

function add(command, option, value, text) {
    if (!((command, option) in known)) {
        known[command, option] = ++options[command]
        names[command, options[command]] = option
    }
    values[command, option] = value
    if (text != "") texts[command, option] = short(text)
}

END {
    for (i = 1; i <= count; i++) {
        add(order[i], "--help", "", "Prints this text")
        if (split(order[i], words, " ") == 2) group[words[1]] = group[words[1]] " " words[2]
        if (!(words[1] in listed)) { listed[words[1]] = 1; first[++firsts] = words[1] }
    }
    if (shell == "bash") bash()
    if (shell == "zsh") zsh()
    if (shell == "fish") fish()
}

function option_list(command,    i, list) {
    for (i = 1; i <= options[command]; i++) list = list (i > 1 ? " " : "") names[command, i]
    return list
}

function first_list(    i, list) {
    for (i = 1; i <= firsts; i++) list = list first[i] " "
    return list "help"
}

function is_file(value) { return value ~ /(FILE|FOLDER|DIR)/ && value !~ /:/ }
function choices(value) { if (value !~ /^[a-z]+(\|[a-z]+)+$/) return ""; gsub(/\|/, " ", value); return value }

function bash(    i, j, command, option, value, list) {
    print "# Completions of " program " for bash, made from its help."
    print "_" program "() {"
    print "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}"
    print "    local command=${COMP_WORDS[1]:-}"
    print "    COMPREPLY=()"
    print "    if ((COMP_CWORD == 1)); then"
    print "        mapfile -t COMPREPLY < <(compgen -W '" first_list() " --help --version' -- \"$word\")"
    print "        return"
    print "    fi"
    print "    case $command in"
    for (i = 1; i <= firsts; i++) {
        list = group[first[i]] actions[first[i]]
        if (list == "") continue
        print "        " first[i] ")"
        print "            if ((COMP_CWORD == 2)); then"
        print "                mapfile -t COMPREPLY < <(compgen -W '" substr(list, 2) " --help' -- \"$word\")"
        print "                return"
        print "            fi"
        if (group[first[i]] != "") print "            command+=\" ${COMP_WORDS[2]}\""
        print "            ;;"
    }
    print "    esac"
    print "    case \"$command $before\" in"
    for (i = 1; i <= count; i++) {
        command = order[i]
        for (j = 1; j <= options[command]; j++) {
            option = names[command, j]
            value = values[command, option]
            if (value == "") continue
            list = choices(value)
            printf "        '%s %s') ", command, option
            if (list != "") printf "mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$word\"); return ;;\n", list
            else if (is_file(value)) print "mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); return ;;"
            else print "return ;;"
        }
    }
    print "    esac"
    print "    if [[ $word == -* ]]; then"
    print "        case $command in"
    for (i = 1; i <= count; i++)
        print "            '" order[i] "') mapfile -t COMPREPLY < <(compgen -W '" option_list(order[i]) "' -- \"$word\") ;;"
    print "        esac"
    print "    else"
    print "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")"
    print "    fi"
    print "}"
    print "complete -o filenames -F _" program " " program
}

function zsh(    i, j, command, option, value, list, words) {
    print "#compdef " program
    print "# Completions of " program " for zsh, made from its help."
    print "local -a commands"
    print "local command=${words[2]}"
    print "if ((CURRENT == 2)); then"
    print "    commands=(" 
    for (i = 1; i <= firsts; i++)
        print "        " quoted(first[i] ":" (first[i] in about ? bare(about[first[i]]) : "commands" group[first[i]]))
    print "        'help:Explains a command'"
    print "    )"
    print "    _describe command commands"
    print "    return"
    print "fi"
    print "case $command in"
    for (i = 1; i <= firsts; i++) {
        list = group[first[i]] actions[first[i]]
        if (list == "") continue
        print "    " first[i] ")"
        print "        if ((CURRENT == 3)); then compadd --" list "; return; fi"
        if (group[first[i]] != "") print "        command+=\" ${words[3]}\""
        print "        ;;"
    }
    print "esac"
    print "case $command in"
    for (i = 1; i <= count; i++) {
        command = order[i]
        print "    " quoted(command) ")"
        print "        _arguments \\"
        for (j = 1; j <= options[command]; j++) {
            option = names[command, j]
            value = values[command, option]
            list = choices(value)
            printf "            %s \\\n", quoted("*" option "[" bare(texts[command, option]) "]" \
                (value == "" ? "" : ":" tolower(bare(value)) ":" (list != "" ? "(" list ")" : (is_file(value) ? "_files" : " "))))
        }
        print "            '*:file:_files'"
        print "        ;;"
    }
    print "esac"
}

function fish(    i, j, command, option, value, list, parts, condition) {
    print "# Completions of " program " for fish, made from its help."
    for (i = 1; i <= firsts; i++)
        print "complete -c " program " -n __fish_use_subcommand -f -a " first[i] " -d " \
            quoted(first[i] in about ? about[first[i]] : "commands" group[first[i]])
    print "complete -c " program " -n __fish_use_subcommand -f -a help -d 'Explains a command'"
    for (i = 1; i <= firsts; i++) {
        list = group[first[i]] actions[first[i]]
        if (list != "") print "complete -c " program " -n '__fish_seen_subcommand_from " first[i] \
            "; and not __fish_seen_subcommand_from" list "' -f -a '" substr(list, 2) "'"
    }
    for (i = 1; i <= count; i++) {
        command = order[i]
        split(command, parts, " ")
        condition = "__fish_seen_subcommand_from " parts[1]
        if (command != parts[1]) condition = condition "; and __fish_seen_subcommand_from " parts[2]
        for (j = 1; j <= options[command]; j++) {
            option = names[command, j]
            value = values[command, option]
            list = choices(value)
            print "complete -c " program " -n " quoted(condition) " -l " substr(option, 3) \
                (value == "" ? "" : (is_file(value) ? " -r" : " -x" (list != "" ? " -a " quoted(list) : ""))) \
                (texts[command, option] == "" ? "" : " -d " quoted(texts[command, option]))
        }
        delete parts
    }
}
