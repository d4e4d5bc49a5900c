// catena completion: scripts for bash, zsh and fish, made from the table of commands.
#include <fmt/format.h>

#include "catena/model/names.hpp"
#include "catena/read/builtin.hpp"
#include "cli/arguments.hpp"

namespace catena::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string command_names() {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  return joined(names);
}

std::string flag_names(const Command& command) {
  std::vector<std::string> names;
  for (const Flag& flag : flags_of(command)) names.push_back(flag.name);
  return joined(names);
}

// Quoted for a shell's single quotes.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// The same function serves bash and, through bashcompinit, zsh.
std::string bash_script() {
  std::string cases;
  for (const Command& command : commands())
    cases += fmt::format("    {}) flags={} ;;\n", command.name, quoted(flag_names(command)));
  return fmt::format(
      R"(_catena() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" flags=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$word"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{}  esac
  case "$previous" in
    --method) COMPREPLY=($(compgen -W 'articulated composite' -- "$word")); return ;;
    completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- "$word")); return ;;
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
    *) COMPREPLY=($(compgen -W '{}' -- "$word") $(compgen -f -- "$word")) ;;
  esac
}}
complete -o filenames -F _catena catena
)",
      command_names(), cases, joined(read::builtin_names()));
}

std::string fish_script() {
  std::string text = "complete -c catena -n __fish_use_subcommand -l version -d 'how this binary was built'\n";
  for (const Command& command : commands()) {
    text += fmt::format("complete -c catena -f -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        quoted(command.summary));
    for (const Flag& flag : flags_of(command))
      text += fmt::format("complete -c catena -n '__fish_seen_subcommand_from {}' -l {}{} -d {}\n", command.name,
                          flag.name.substr(2), flag.takes_value ? " -r" : "", quoted(flag.description));
  }
  text += fmt::format("complete -c catena -n 'not __fish_use_subcommand' -a '{}'\n", joined(read::builtin_names()));
  text += "complete -c catena -f -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n";
  return text;
}

}  // namespace

int run_completion(const Options& options, Output& out) {
  if (options.target == "bash") {
    out.text(bash_script());
  } else if (options.target == "zsh") {
    out.text("#compdef catena\nautoload -U +X bashcompinit && bashcompinit\n" + bash_script());
  } else if (options.target == "fish") {
    out.text(fish_script());
  } else {
    throw UsageError(fmt::format("no completion for '{}'{}; there are: bash, zsh, fish", options.target,
                                 did_you_mean(options.target, {"bash", "zsh", "fish"})));
  }
  return success;
}

}  // namespace catena::cli
