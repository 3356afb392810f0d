/**
 * Shell scripts that complete command lines. The scripts ask `mdmirror completion offer` for
 * suggestions. So they need no change when mdmirror is updated.
 */
export const SCRIPTS = {
  // Works with bash 3.2 (on macOS) and later versions. The script evaluates nothing that the user
  // typed.
  bash: String.raw`# Completion of mdmirror for bash; made by "mdmirror completion bash".
_mdmirror() {
  local cur=${"$"}{COMP_WORDS[COMP_CWORD]} before=() kind word rest i
  COMPREPLY=()
  # Bash takes --option=value for three words.
  for (( i = 1; i < COMP_CWORD; i++ )); do
    [[ ${"$"}{COMP_WORDS[i]} == "=" ]] || before+=("${"$"}{COMP_WORDS[i]}")
  done
  [[ $cur == "=" ]] && cur=""
  while IFS=$'\t' read -r kind word rest; do
    case "$kind $cur" in
      option\ -*|word*) [[ $word == "$cur"* ]] && COMPREPLY+=("$(printf %q "$word")") ;;
      option*|*\ -*) ;;
      file*) compopt -o default 2>/dev/null ;;
      folder*) compopt -o plusdirs 2>/dev/null ;;
    esac
  done < <(mdmirror completion offer -- ${"$"}{before[@]+"${"$"}{before[@]}"} 2>/dev/null)
}
# Bash 3.2 has no compopt: its files are completed wherever nothing else is.
if type compopt >/dev/null 2>&1; then complete -F _mdmirror mdmirror
else complete -o default -F _mdmirror mdmirror; fi`,
  zsh: String.raw`#compdef mdmirror
# Completion of mdmirror for zsh; made by "mdmirror completion zsh".
_mdmirror() {
  local kind word help ret=1
  local -a before options offered
  local -A places
  before=("${"$"}{(@Q)words[2,CURRENT-1]}")
  if [[ $PREFIX == --*=* ]]; then before+=("${"$"}{PREFIX%%=*}"); compset -P '*='; fi
  while IFS=$'\t' read -r kind word help; do
    case $kind in
      word) offered+=("${"$"}{word//:/\\:}:$help") ;;
      option) options+=("$word:$help") ;;
      *) places[$kind]=1 ;;
    esac
  done < <(mdmirror completion offer -- "${"$"}{before[@]}" 2>/dev/null)
  if [[ $PREFIX == -* ]]; then _describe option options; return; fi
  (( $#offered )) && _describe word offered && ret=0
  (( ${"$"}{+places[file]} )) && _files && ret=0
  (( ${"$"}{+places[folder]} )) && _directories && ret=0
  return ret
}
# Loaded by the completion system this file is the function's body; sourced, it registers it.
if [[ $funcstack[1] == _mdmirror ]]; then _mdmirror "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }
  compdef _mdmirror mdmirror
fi`,
  // Works with fish 3.0 and later versions.
  fish: String.raw`# Completion of mdmirror for fish; made by "mdmirror completion fish".
function __mdmirror_offers
  set -l before (commandline -opc)
  set -e before[1]
  set -l current (commandline -ct | string unescape)
  set -l head (string match -r -- '^--[^=]+=' "$current")
  test -n "$head"; and set -a before (string trim -r -c = -- $head)
  mdmirror completion offer -- $before 2>/dev/null | while read -d \t -l kind word help
    switch $kind
      case word
        printf '%s%s\t%s\n' "$head" $word $help
      case option
        string match -q -- '-*' "$current"; and printf '%s\t%s\n' $word $help
      case file
        __fish_complete_path "$current"
      case folder
        __fish_complete_directories "$current"
    end
  end
end
complete -c mdmirror -e
complete -c mdmirror -f -a '(__mdmirror_offers)'`,
} as const;
