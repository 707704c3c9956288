# What the scripts share about their command lines. To be read with `source`, before the script
# goes to the package's folder.

# wrong MESSAGE: ends the script, because its command line means nothing.
wrong() {
    echo "$1 See 'Scripts/${0##*/} --help'." >&2
    exit 64
}

# need_value OPTION [VALUE]: ends the script if the option has no value.
need_value() { [[ -n ${2:-} ]] || wrong "The option $1 needs a value."; }

# absolute PATH: prints the path that a person means, seen from where the person is.
absolute() {
    case $1 in /*) echo "$1" ;; *) echo "$PWD/$1" ;; esac
}
