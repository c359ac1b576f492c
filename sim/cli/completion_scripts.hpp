// The completion scripts as they stand in sim/cli/completion, which is what an installation has.
#pragma once

namespace headway {

inline constexpr const char* kBashCompletion =
    R"script(# bash completion of headway. The command itself knows its options, keys and values: it is asked for
# the next word, and answers with candidates, ":files" or ":folders".
_headway() {
  local line=${COMP_LINE:0:COMP_POINT}
  local -a words
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  local current=${words[${#words[@]} - 1]} answer
  COMPREPLY=()
  answer=$("${words[0]}" complete "${words[@]:1}" 2>/dev/null) || return 0
  case $answer in
    :files) mapfile -t COMPREPLY < <(compgen -f -X '!*.@(yaml|yml)' -- "$current"; compgen -d -S / -- "$current")
            compopt -o nospace ;;
    :folders) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    '') ;;
    *) mapfile -t COMPREPLY <<<"$answer"
       # bash splits words at "=": it wants what stands after the last one.
       [[ $current == *=* ]] && COMPREPLY=("${COMPREPLY[@]#"${current%=*}="}")
       [[ ${COMPREPLY[0]} == *[.=] ]] && compopt -o nospace ;;
  esac
}
shopt -s extglob
complete -F _headway headway
)script";

inline constexpr const char* kZshCompletion = R"script(#compdef headway
# zsh completion of headway. The command itself knows its options, keys and values: it is asked for
# the next word, and answers with candidates, ":files" or ":folders".
_headway() {
  local -a answer
  answer=("${(@f)$("${words[1]}" complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  case ${answer[1]} in
    :files) _files -g '*.(yaml|yml)' ;;
    :folders) _files -/ ;;
    '') ;;
    *[.=]) compadd -S '' -- "${answer[@]}" ;;
    *) compadd -- "${answer[@]}" ;;
  esac
}
if [[ $funcstack[1] == _headway ]]; then
  _headway "$@"
else
  compdef _headway headway
fi
)script";

}  // namespace headway
