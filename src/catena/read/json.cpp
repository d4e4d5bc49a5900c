// JSON, parsed by nlohmann-json's event parser, so that every value keeps its line.
#include "catena/read/json.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "catena/model/text.hpp"
#include "catena/read/file.hpp"
#include "catena/read/number.hpp"
#include "catena/read/tables.hpp"
#include "catena/read/value.hpp"

namespace catena::read {
namespace {

// Shows the parser the text and remembers how far it has looked.
struct Watched {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at;
  const char** seen;

  reference operator*() const { return *(*seen = at); }
  Watched& operator++() { return ++at, *this; }
  Watched operator++(int) { return {at++, seen}; }
  bool operator==(const Watched& other) const { return at == other.at; }
  bool operator!=(const Watched& other) const { return at != other.at; }
};

class DocumentBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  DocumentBuilder(std::string_view text, Log& log)
      : text_(text), log_(log), counted_(text.data()), seen_(text.data()) {}

  Watched begin() { return {text_.data(), &seen_}; }
  Watched end() { return {text_.data() + text_.size(), &seen_}; }
  Value& document() { return document_; }

  bool null() override { return put(Value::Kind::null), !too_many(); }
  bool boolean(bool value) override { return put(Value::Kind::boolean).boolean = value, !too_many(); }
  bool number_integer(number_integer_t value) override { return number(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& token) override { return number(token); }
  bool string(string_t& value) override { return put(Value::Kind::text).text = std::move(value), !too_many(); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Value::Kind::table); }
  bool start_array(std::size_t) override { return open(Value::Kind::list); }
  bool end_array() override { return open_.pop_back(), true; }

  bool key(string_t& name) override { return open_.back()->keys.push_back(std::move(name)), true; }

  bool end_object() override {
    std::vector<std::string> keys = open_.back()->keys;
    open_.pop_back();
    std::sort(keys.begin(), keys.end());
    const auto twice = std::adjacent_find(keys.begin(), keys.end());
    if (twice == keys.end()) return true;
    log_.error("key-doubled", line(), "", "the key " + quote(*twice) + " stands twice in the table that ends here",
               "remove one of them");
    return false;
  }

  bool parse_error(std::size_t position, const std::string& token, const nlohmann::json::exception& e) override {
    const std::string_view before = text_.substr(0, position > 0 ? position - 1 : 0);
    const auto row = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    if (e.id == 406) {
      log_.error("number-overflow", row, "", quote(token) + " is too large for a double", "write a finite number");
      return false;
    }
    const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;  // npos + 1 = 0: the first line
    std::string what = e.what();
    const std::size_t start = what.find(" - ");
    what = start == std::string::npos ? what : what.substr(start + 3);
    what = what.substr(0, what.find('\n'));
    log_.error("json-syntax", row, "",
               "not valid JSON at column " + std::to_string(column) + ": " + std::string(beginning(what, 200)),
               what.find("invalid literal") == std::string::npos
                   ? "correct the line"
                   : "correct the line; JSON has no NaN and no infinity, and texts stand in double quotes");
    return false;
  }

 private:
  int line() {
    line_ += static_cast<int>(std::count(counted_, seen_, '\n'));
    counted_ = seen_;
    return line_;
  }

  // Each value costs some hundred bytes: what is far beyond any robot is refused before it fills the memory.
  bool too_many() {
    constexpr int most = 8'000'000;
    if (++count_ <= most) return false;
    if (count_ == most + 1)
      log_.error("json-size", line(), "", "there are more than eight million values",
                 "check that this is the right file");
    return true;
  }

  Value& put(Value::Kind kind) {
    Value* at = &document_;
    if (!open_.empty()) at = &open_.back()->items.emplace_back();
    at->kind = kind;
    at->line = line();
    return *at;
  }

  bool number(std::string token) { return put(Value::Kind::number).text = std::move(token), !too_many(); }

  bool open(Value::Kind kind) {
    if (static_cast<int>(open_.size()) >= deepest_nesting) {
      log_.error("json-nesting", line(), "", "lists or tables are nested too deeply", "a robot needs no such nesting");
      return false;
    }
    open_.push_back(&put(kind));  // stays valid: its parent's list does not grow while it is open
    return !too_many();
  }

  std::string_view text_;
  Log& log_;
  Value document_;
  std::vector<Value*> open_;
  const char* counted_;
  const char* seen_;
  int line_ = 1, count_ = 0;
};

}  // namespace

Value json_document(std::string_view text, Log& log) {
  if (!is_text(text, log)) return {};
  DocumentBuilder builder(text, log);
  if (!nlohmann::json::sax_parse(builder.begin(), builder.end(), &builder)) return {};
  return std::move(builder.document());
}

Reading json(std::string_view text, const std::string& file, bool with_leftovers) {
  Log log(file);
  if (with_leftovers) log.keep_account();
  const Value document = json_document(text, log);
  if (document.kind == Value::Kind::null) {
    if (log.findings().empty()) log.error("key-type", 1, "", "the file holds null, not a robot", "write a table");
    return {{}, log.findings()};
  }
  return robot_from_tables(document, std::move(log));
}

}  // namespace catena::read
