// TOML 1.0, read in one pass. A reader of its own, because those at hand failed on damaged files: time grew with the square
// of a list, and both crashed while they reported a mistake. Here every step is bounded by the text and by the nesting.
#include "catena/read/toml.hpp"

#include <unordered_map>

#include "catena/read/file.hpp"
#include "catena/read/leftovers.hpp"
#include "catena/read/number.hpp"
#include "catena/read/tables.hpp"
#include "catena/read/toml_scalars.hpp"

namespace catena::read {
namespace {

using toml_words::Mistake;
using toml_words::Scanner;

// Lists of numbers of this size take a gigabyte.
constexpr std::size_t longest_text = 16 * megabyte;

using Key = std::vector<std::string>;

// A table under [headers] or dotted keys, which later lines may add to, or the list of tables of [[header]]. Lists and
// tables in one piece ({...}) are Values at once: nothing can be added to them.
struct Table {
  int line = 0, depth = 0;
  bool is_list = false;
  bool closed = false;                                 // for dotted keys and its own [header]: it has had them
  std::vector<std::string> keys;                       // of a list: empty
  std::vector<Value> items;                            // unless `inner` says otherwise
  std::vector<int> inner;                              // the Table that stands for an item; -1: the item itself
  std::unordered_map<std::string, std::size_t> index;  // key -> place
};

class Parser {
 public:
  explicit Parser(std::string_view text) : in_{text} { new_table(1, 0); }

  Value document() {
    tables_[0].closed = true;
    int section = 0;
    for (;;) {
      in_.skip_blanks();
      if (in_.peek() == '[') {
        section = header();
      } else if (!in_.done() && in_.peek() != '#' && in_.peek() != '\n' && in_.peek() != '\r') {
        pair(section);
      }
      in_.skip_blanks();
      in_.skip_comment();
      if (in_.done()) return finished(0);
      if (!in_.skip_line_end()) in_.fail("here the line should end, not go on with " + in_.here(), "begin a new line");
    }
  }

 private:
  int new_table(int line, int depth) {
    if (depth > deepest_nesting) too_deep();
    Table table;
    table.line = line, table.depth = depth;
    tables_.push_back(std::move(table));
    return static_cast<int>(tables_.size()) - 1;
  }
  Table& at(int table) { return tables_[static_cast<std::size_t>(table)]; }

  [[noreturn]] void too_deep() const {
    throw Mistake{"toml-nesting", in_.at, "lists or tables are nested too deeply", "a robot needs no such nesting"};
  }
  [[noreturn]] void doubled(const std::string& key, std::size_t where, int first) const {
    throw Mistake{"key-doubled", where,
                  "the key " + quote(key) + " stands twice, first in line " + std::to_string(first),
                  "remove one of them"};
  }

  // a."b c".d
  Key key() {
    Key key;
    for (;;) {
      in_.skip_blanks();
      key.push_back(toml_words::starts_string(in_) ? toml_words::string(in_, false) : toml_words::bare_key(in_));
      if (key.size() > deepest_nesting) too_deep();
      in_.skip_blanks();
      if (in_.peek() != '.') return key;
      ++in_.at;
    }
  }

  int line_of(const Table& table, std::size_t k) {
    return table.inner[k] >= 0 ? at(table.inner[k]).line : table.items[k].line;
  }

  void put(int table, const std::string& key, Value value, int inner) {
    Table& into = at(table);
    into.index.emplace(key, into.keys.size());
    into.keys.push_back(key);
    into.items.push_back(std::move(value));
    into.inner.push_back(inner);
  }

  // The table behind one part of a key, made if it is not there.
  int step(int table, const std::string& part, bool dotted, std::size_t where) {
    const auto found = at(table).index.find(part);
    if (found == at(table).index.end()) {
      const int made = new_table(in_.line, at(table).depth + 1);
      put(table, part, {}, made);
      return made;
    }
    const int inner = at(table).inner[found->second];
    if (inner < 0 || (dotted && (at(inner).closed || at(inner).is_list))) {
      throw Mistake{"key-doubled", where,
                    "nothing can be added to " + quote(part) + ", which stands in line " +
                        std::to_string(line_of(at(table), found->second)),
                    "write all of it in one place"};
    }
    return at(inner).is_list ? at(inner).inner.back() : inner;
  }

  // [key] or [[key]]; gives the table that the lines below it fill.
  int header() {
    for (const int table : dotted_) at(table).closed = true;
    dotted_.clear();
    const std::size_t where = in_.at;
    const bool list = in_.starts_with("[[");
    in_.at += list ? 2 : 1;
    const Key path = key();
    if (!in_.starts_with(list ? "]]" : "]"))
      in_.fail(std::string("here ") + (list ? "]]" : "]") + " is expected, not " + in_.here(), "close the brackets");
    in_.at += list ? 2 : 1;

    int table = 0;
    for (std::size_t k = 0; k + 1 < path.size(); ++k) table = step(table, path[k], false, where);
    const std::string& last = path.back();
    const auto found = at(table).index.find(last);
    if (list) return list_item(table, last, found == at(table).index.end(), where);
    if (found == at(table).index.end()) {
      const int made = new_table(in_.line, at(table).depth + 1);
      put(table, last, {}, made);
      at(made).closed = true;
      return made;
    }
    const int inner = at(table).inner[found->second];
    if (inner < 0 || at(inner).is_list || at(inner).closed) doubled(last, where, line_of(at(table), found->second));
    at(inner).closed = true;
    at(inner).line = in_.line;
    return inner;
  }

  int list_item(int table, const std::string& key, bool is_new, std::size_t where) {
    int list = -1;
    if (is_new) {
      list = new_table(in_.line, at(table).depth + 1);
      at(list).is_list = true;
      put(table, key, {}, list);
    } else {
      const std::size_t k = at(table).index.at(key);
      list = at(table).inner[k];
      if (list < 0 || !at(list).is_list) doubled(key, where, line_of(at(table), k));
    }
    const int made = new_table(in_.line, at(list).depth + 1);
    at(made).closed = true;
    at(list).inner.push_back(made);
    return made;
  }

  // key = value
  void pair(int section) {
    const std::size_t where = in_.at;
    const Key path = key();
    if (in_.peek() != '=')
      in_.fail("behind the key " + quote(path.back()) + " there is no = but " + in_.here(), "write key = value");
    ++in_.at;
    in_.skip_blanks();
    int table = section;
    for (std::size_t k = 0; k + 1 < path.size(); ++k) {
      table = step(table, path[k], true, where);
      dotted_.push_back(table);
    }
    if (const auto found = at(table).index.find(path.back()); found != at(table).index.end())
      doubled(path.back(), where, line_of(at(table), found->second));
    const int depth = at(table).depth + 1;
    put(table, path.back(), value(depth), -1);
  }

  Value value(int depth) {
    if (depth > deepest_nesting) too_deep();
    Value out;
    out.line = in_.line;
    if (in_.peek() == '[') {
      list(out, depth);
    } else if (in_.peek() == '{') {
      out = inline_table(depth);
    } else if (toml_words::starts_string(in_)) {
      out.kind = Value::Kind::text;
      out.text = toml_words::string(in_, true);
    } else {
      out = toml_words::word(in_);
    }
    return out;
  }

  void list(Value& out, int depth) {
    out.kind = Value::Kind::list;
    for (++in_.at;;) {
      in_.skip_blanks_and_lines();
      if (in_.peek() == ']') break;
      out.items.push_back(value(depth + 1));
      in_.skip_blanks_and_lines();
      if (in_.peek() == ']') break;
      if (in_.peek() != ',')
        in_.fail("in a list here , or ] is expected, not " + in_.here(),
                 "separate the items by commas and close the list");
      ++in_.at;
    }
    ++in_.at;
  }

  Value inline_table(int depth) {
    const std::size_t before = tables_.size();
    std::vector<int> outside;
    outside.swap(dotted_);  // its dotted keys end with it
    const int table = new_table(in_.line, depth);
    ++in_.at;
    in_.skip_blanks();
    while (in_.peek() != '}') {
      pair(table);
      in_.skip_blanks();
      if (in_.peek() == '}') break;
      if (in_.peek() != ',')
        in_.fail("in a table here , or } is expected, not " + in_.here(), "close the table in the line that opens it");
      ++in_.at;
      in_.skip_blanks();
      if (in_.peek() == '}') in_.fail("a comma stands before the end of the table", "remove it");
    }
    ++in_.at;
    outside.swap(dotted_);
    Value out = finished(table);
    tables_.resize(before);
    return out;
  }

  Value finished(int number) {
    Value out;
    Table& table = at(number);
    out.line = table.line;
    out.kind = table.is_list ? Value::Kind::list : Value::Kind::table;
    out.keys = std::move(table.keys);
    out.items = std::move(table.items);
    out.items.resize(table.inner.size());
    for (std::size_t k = 0; k < table.inner.size(); ++k)
      if (table.inner[k] >= 0) out.items[k] = finished(table.inner[k]);
    return out;
  }

  Scanner in_;
  std::vector<Table> tables_;
  std::vector<int> dotted_;  // made or used by dotted keys since the last header
};

void log_mistake(const Mistake& mistake, std::string_view text, Log& log) {
  int line = 1, column = 1;
  for (const char c : text.substr(0, mistake.at)) {
    if (c == '\n') {
      ++line, column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0u) != 0x80) {
      ++column;
    }
  }
  const std::string start = mistake.code == std::string_view("toml-syntax")
                                ? "not valid TOML at column " + std::to_string(column) + ": "
                                : "";
  log.error(mistake.code, line, "", start + mistake.message, mistake.remedy);
}

}  // namespace

Value toml_document(std::string_view text, Log& log) {
  if (text.size() > longest_text) {
    log.error("file-too-large", 0, "", "is larger than 16 MB, more than TOML is meant for", "use JSON or URDF");
    return {};
  }
  if (!is_text(text, log)) return {};
  try {
    return Parser(text).document();
  } catch (const Mistake& mistake) {
    log_mistake(mistake, text, log);
  }
  return {};
}

Reading toml(std::string_view text, const std::string& file, bool with_leftovers) {
  Log log(file);
  if (with_leftovers) log.keep_account();
  const Value document = toml_document(text, log);
  if (document.kind == Value::Kind::null) return {{}, log.findings()};
  Reading reading = robot_from_tables(document, std::move(log));
  if (with_leftovers) add_toml_comments(text, reading.leftovers);
  return reading;
}

}  // namespace catena::read
