// Text from outside: UTF-8, zero bytes and characters of direction, in every reader; and TOML by its specification.
#include <fmt/format.h>

#include "catena/model/builder.hpp"
#include "catena/model/doctor.hpp"
#include "catena/model/text.hpp"
#include "catena/read/csv.hpp"
#include "catena/read/json.hpp"
#include "catena/read/state.hpp"
#include "catena/read/toml.hpp"
#include "catena/read/urdf.hpp"
#include "catena/read/value.hpp"
#include "catena/simulate/scenario.hpp"
#include "read_support.hpp"
#include "tags.hpp"

namespace catena::read {
namespace {

using test::Folder;

template <class Read>
Findings thrown_by(Read read) {
  try {
    read();
  } catch (const ModelError& error) {
    return error.findings();
  }
  return {};
}

TEST(Text, IsUtf8AsTheStandardHasIt) {
  for (const char* good : {"", "a", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                           "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "Gelenk \xC3\xA4 \xE2\x86\x92"})
    EXPECT_FALSE(find_bad(good)) << good;
  for (const char* bad : {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2 ", "\xE0\x80\x80", "\xE0\x9F\xBF",
                          "\xE2\x86", "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF",
                          "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xF0\x9F\x98"}) {
    const auto found = find_bad(std::string("x\nyä") + bad + "z");
    ASSERT_TRUE(found) << bad;
    EXPECT_EQ(found->kind, BadText::Kind::encoding);
    EXPECT_EQ(found->line, 2);
    EXPECT_EQ(found->column, 3);
  }
  EXPECT_EQ(find_bad(std::string_view("a\0b", 3))->kind, BadText::Kind::zero);
  int directions = 0;
  for (const char* mark : {"\u202A", "\u202B", "\u202C", "\u202D", "\u202E", "\u2066", "\u2067", "\u2068", "\u2069",
                           "\u200E", "\u200F", "\u061C"}) {
    const auto found = find_bad(std::string("a") + mark);
    directions += found && found->kind == BadText::Kind::direction;
    EXPECT_EQ(printable(mark), "?");
  }
  EXPECT_EQ(directions, 12);
  EXPECT_EQ(printable("ä\xff\x1b[31m\u0085\u2028\u202Ex"), "ä??[31m???x");
  EXPECT_EQ(beginning("aäö", 4), "aä");
  EXPECT_EQ(beginning("ab", 4), "ab");
}

// In a literal string, a comment, a name: one byte, in small files and in ones that fill more than a buffer.
TEST(Text, ThatIsNotUtf8IsRefusedByEveryReader) {
  const Folder folder;
  const Model model =
      Builder("r")
          .add_body("a", {.mass = 1, .com = {0, 0, 0}, .inertia = Matrix3::Identity()}, revolute("a_joint"))
          .build();
  std::string padding;
  for (int k = 0; k < 4600; ++k) padding += "# padding padding padding padding padding padding padding\n";
  for (const std::string& behind : {std::string(), padding}) {
    for (const char* value : {"'\xff'", "'''\xff'''", "\"\xff\"", "1 # \xff"}) {
      const std::string text = fmt::format("\nname = {}\n", value) + behind;
      EXPECT_FINDING(toml(text, "f").findings, error, "file-encoding", 2);
      EXPECT_FINDING(thrown_by([&] { scenario_from_text(text, "s.toml"); }), error, "file-encoding", 2);
      EXPECT_FINDING(thrown_by([&] { state(model, folder.file("s.toml", text)); }), error, "file-encoding", 2);
    }
  }
  const Finding found = test::finding_with(toml("name = '\xff'\n", "r.toml").findings, "file-encoding");
  EXPECT_EQ(found.message, "the byte 0xff at column 9 is not UTF-8");
  EXPECT_NE(found.remedy.find("iconv -f LATIN1 -t UTF-8 r.toml > new_file"), std::string::npos);

  EXPECT_FINDING(json("{\n\"name\": \"\xff\"}", "f").findings, error, "file-encoding", 2);
  EXPECT_FINDING(thrown_by([&] { state(model, folder.file("s.json", "{\"\xff\": 1}")); }), error, "file-encoding", 1);
  EXPECT_FINDING(urdf("<robot name=\"r\">\n<link name=\"\xe9\"/></robot>", "f").findings, error, "file-encoding", 2);
  EXPECT_FINDING(thrown_by([&] { csv_from_text("a,b\xff\n1,2\n", "f"); }), error, "file-encoding", 1);
  EXPECT_FINDING(thrown_by([&] { trajectory(model, folder.file("t.csv", "time,a_joint\n# \xe9\n0,0\n")); }), error,
                 "file-encoding", 2);
  EXPECT_FINDING(thrown_by([&] { state(model, folder.file("s.csv", "a_joint\n1\xff\n")); }), error, "file-encoding", 2);

  EXPECT_FINDING(urdf(std::string_view("<robot name=\"r\">\0<link name=\"a\"/></robot>", 41), "f").findings, error,
                 "file-binary", 1);
  EXPECT_FINDING(toml("# \u202E\nname = 'r'\n", "f").findings, error, "file-direction", 1);
  EXPECT_FINDING(urdf("<robot name=\"r\">\n<link name=\"a\u2066\"/></robot>", "f").findings, error, "file-direction",
                 2);
}

// Escapes become characters only when a file is read, and programs may write anything.
TEST(Text, OfNamesIsCheckedAfterEscapesAreRead) {
  const auto checked = [](const Reading& reading) { return check(reading.description); };
  const std::string body = "\"\n[[body]]\nname = \"a\"\nmass = 1\njoint = \"revolute\"\njoint_name = \"";
  EXPECT_FINDING(checked(toml("name = \"x\\u202Ey" + body + "j\"\n", "f")), error, "name-characters", 0);
  EXPECT_FINDING(checked(toml("name = \"x" + body + "j\\u2067\"\n", "f")), error, "name-characters", 5);
  EXPECT_FINDING(checked(toml("name = \"x" + body + "j\\n\"\n", "f")), error, "name-characters", 5);
  EXPECT_FINDING(checked(toml("name = \"x" + body + "j\\u0000\"\n", "f")), error, "name-characters", 5);
  for (const Finding& finding : checked(toml("name = \"x" + body + "j\u00e4\"\n", "f")))
    EXPECT_NE(finding.code, "name-characters");
  EXPECT_FINDING(checked(json("{\"bodies\": [{\"name\": \"a\\u202e\", \"mass\": 1}]}", "f")), error, "name-characters",
                 1);
  EXPECT_FINDING(checked(urdf("<robot name=\"r\"><link name=\"a&#x202E;\"/></robot>", "f")), error, "name-characters",
                 1);
  EXPECT_FINDING(urdf("<robot name=\"r\"><link name=\"a&#xD800;\"/></robot>", "f").findings, error, "xml-character", 1);
  Description made;
  made.bodies.emplace_back().name = "\xff";
  const Findings findings = check(made);
  EXPECT_FINDING(findings, error, "name-characters", 0);
  for (const Finding& finding : findings) EXPECT_FALSE(find_bad(finding.text()));
}

TEST(Text, IsCutBetweenCharacters) {
  std::string name;
  for (int k = 0; k < 30; ++k) name += "ä";
  for (const char* shift : {"", "x"}) {
    const Findings findings = toml("[[body]]\nname = \"a\"\njoint = \"" + (shift + name) + "\"\n", "f").findings;
    EXPECT_FALSE(find_bad(test::finding_with(findings, "joint-type").message));
  }
}

std::string described(const Value& value) {
  std::string out;
  switch (value.kind) {
    case Value::Kind::null: return "null";
    case Value::Kind::boolean: return value.boolean ? "true" : "false";
    case Value::Kind::number: return value.text;
    case Value::Kind::text: return "'" + value.text + "'";
    case Value::Kind::other: return "date";
    case Value::Kind::list:
      for (const Value& item : value.items) out += (out.empty() ? "" : " ") + described(item);
      return "[" + out + "]";
    case Value::Kind::table:
      for (std::size_t k = 0; k < value.keys.size(); ++k)
        out += (out.empty() ? "" : " ") + value.keys[k] + "=" + described(value.items[k]);
      return "{" + out + "}";
  }
  return out;
}

std::string parsed(const std::string& text) {
  Log log("f");
  const Value document = toml_document(text, log);
  return log.findings().empty() ? described(document) : log.findings()[0].code;
}

TEST(Toml, SaysWhatTheSpecificationSays) {
  EXPECT_EQ(parsed(""), "{}");
  EXPECT_EQ(parsed("a = 1\r\n# c\r\n[b]\r\n\tc = +2"), "{a=1 b={c=+2}}");
  EXPECT_EQ(parsed("a.b = 1\n\"a\" . 'c' = 2\n[d]\ne.f = 3\n[d.g]\nx = 1\n"), "{a={b=1 c=2} d={e={f=3} g={x=1}}}");
  EXPECT_EQ(parsed("[[a]]\nb = 1\n[a.c]\nd = 2\n[[a]]\n[[a.e]]\nf = 1\n"), "{a=[{b=1 c={d=2}} {e=[{f=1}]}]}");
  EXPECT_EQ(parsed("a = { b = 1, c.d = 2, e = {} }\nl = [1, 2,\n # c\n [3],\n]\n"),
            "{a={b=1 c={d=2} e={}} l=[1 2 [3]]}");
  EXPECT_EQ(parsed("a = \"\\u00e4\\U0001F600\\t\\\"\\\\\"\nb = 'c:\\x'\n"), "{a='ä😀\t\"\\' b='c:\\x'}");
  EXPECT_EQ(parsed("a = \"\"\"\none \\\n\n   two \"\" \"\"\"\"\"\nb = '''\r\nx\r\ny'''\n"),
            "{a='one two \"\" \"\"' b='x\ny'}");
  EXPECT_EQ(parsed("a = [0xDEAD_beef, 0o17, 0b101, 1_000.5e-1_0, -0, inf, -nan]\n"),
            "{a=[3735928559 15 5 1000.5e-10 -0 inf -nan]}");
  EXPECT_EQ(parsed("a = [1979-05-27, 07:32:00.5, 1979-05-27 07:32:00Z, 1979-05-27T00:32:00-07:00]\n"),
            "{a=[date date date date]}");
  EXPECT_EQ(parsed("[a.b]\nx = 1\n[a]\ny = 2\n"), "{a={b={x=1} y=2}}");
  EXPECT_EQ(parsed("1 = 2\ntrue = false\n\"\" = 3\n"), "{1=2 true=false =3}");
  for (const char* text : {"a",
                           "a =",
                           "= 1",
                           "a = 1 b = 2",
                           "a = 01",
                           "a = 1.",
                           "a = .5",
                           "a = 1__0",
                           "a = _1",
                           "a = 0x",
                           "a = +0x1",
                           "a = 1e",
                           "a = tru",
                           "a = \"x",
                           "a = 'x\n'",
                           "a = \"\\q\"",
                           "a = \"\\ud800\"",
                           "a = \"\\u12\"",
                           "a = '''x",
                           "a = \"\x01\"",
                           "# \x7f",
                           "a = 1\rb = 2",
                           "a = [1 2]",
                           "a = [1",
                           "a = [,]",
                           "a = {b = 1,}",
                           "a = {b = 1\n}",
                           "a = {b}",
                           "[a",
                           "[]",
                           "[a] b",
                           "[[a]",
                           "a..b = 1",
                           "[.a]",
                           "a b = 1",
                           "\"\"\"a\"\"\" = 1",
                           "a = 1979-5-27",
                           "a = \"\"\"\"\"\"\"\"\"",
                           "ä = 1",
                           "a = 1\na\n"})
    EXPECT_EQ(parsed(text), "toml-syntax") << text;
  for (const char* text :
       {"a = 1\na = 2", "a = 1\na.b = 2", "[a]\n[a]", "a = 1\n[a]", "a = []\n[[a]]", "[[a]]\n[a]", "[a]\n[[a]]",
        "a = {}\n[a.b]", "a = {}\na.b = 1", "a.b = 1\n[a]", "[a]\nb.c = 1\n[a.b]", "[a.b.c]\nz = 9\n[a]\nb.c.t = 1",
        "a = {b = 1, b = 2}", "a = {b.c = 1, b = 2}", "a = {b = {}, b.c = 1}", "a = [{}]\n[a.b]"})
    EXPECT_EQ(parsed(text), "key-doubled") << text;
}

TEST(Toml, NamesColumnAndRemedy) {
  const auto said = [](const std::string& text) { return test::all(toml(text, "f").findings); };
  EXPECT_EQ(
      said("x = 1\nä = 2\n"),
      "f:2: error: not valid TOML at column 1: here a key is expected, not 'ä' [toml-syntax]; write key = value, or "
      "[table]\n");
  EXPECT_EQ(said("mass = 1.5kg\n"),
            "f:1: error: not valid TOML at column 8: '1.5kg' is followed by 'kg'; write a plain number in SI units "
            "[toml-syntax]; write a plain number\n");
  EXPECT_EQ(said("a = 1\n\na = 2\n"),
            "f:3: error: the key 'a' stands twice, first in line 1 [key-doubled]; remove one of them\n");
}

// Quadratic time would make this take minutes.
TEST(Toml, ReadsLongListsAndManyTables) {
  LONG_TEST();
  std::string list = "a = [", keys, tables, dotted;
  for (int k = 0; k < 400000; ++k) list += "1,";
  for (int k = 0; k < 100000; ++k) {
    keys += fmt::format("k{} = 1\n", k);
    tables += fmt::format("[[t.{}.x]]\n", k);
    dotted += fmt::format("a.b{} = {{ c.d = 1 }}\n", k);
  }
  Log log("f");
  EXPECT_EQ(toml_document(list + "]\n", log).items[0].items.size(), 400000u);
  EXPECT_EQ(toml_document(keys, log).items.size(), 100000u);
  EXPECT_EQ(toml_document(tables, log).items[0].items.size(), 100000u);
  EXPECT_EQ(toml_document(dotted, log).items[0].items.size(), 100000u);
  EXPECT_TRUE(log.findings().empty());
}

}  // namespace
}  // namespace catena::read
