// catena view: one self-contained page with the robot in 3-D and, for a recording, its motion and curves.
#include <fmt/format.h>

#include "catena/write/file.hpp"
#include "cli/commands.hpp"
#include "cli/derived.hpp"
#include "cli/output.hpp"
#include "cli/robot.hpp"
#include "cli/state.hpp"
#include "cli/table.hpp"
#include "cli/view_data.hpp"
#include "cli/viewer_page.hpp"

namespace catena::cli {
namespace {

void refuse_state_flags(const Options& options) {
  const bool physics = options.floating || options.no_friction || options.no_damping || options.no_joint_terms;
  if (physics || !options.gravity.empty() || !options.q.empty() || !options.state_file.empty() || options.random)
    throw UsageError("a recording has its robot and its states inside: flags that change them do not go with it");
}

// Between the tags of the page's data element. No "<" stays in the JSON, so nothing in it can end the element.
std::string fill(std::string_view page, const std::string& json) {
  constexpr std::string_view tag = R"(<script id="catena-data" type="application/json">)";
  const std::size_t start = page.find(tag) + tag.size();
  const std::size_t end = page.find("</script>", start);
  std::string filled(page.substr(0, start));
  filled.reserve(page.size() + json.size() + 4096);
  for (const char c : json) c == '<' ? filled += "\\u003c" : filled += c;
  return filled += page.substr(end);
}

}  // namespace

int run_view(const Options& options, Output& out) {
  const std::string_view page = viewer_page();
  if (!options.json && options.output.empty())
    throw UsageError(fmt::format("name the page to write: catena view {} --output page.html", options.model));
  if (!options.json && page.empty())
    throw DataError(
        "this catena was built without its viewer, because npm was missing or could not load the page's two libraries "
        "(three, uplot) then: install nodejs and npm, go online, and build again");

  Json data;
  std::string what;
  if (is_recording(options.model)) {
    refuse_state_flags(options);
    const Recording recording = read_recording(options.model);
    const Model model = recorded_robot(recording, options.model);
    const ViewerMotion motion = viewer_motion(model, recording);
    for (const std::string& sentence : motion.left_out) out.warn(sentence);
    data = viewer_robot(model, neutral_configuration(model)).add("recording", motion.json);
    data.add("warnings", out.warnings());
    what = fmt::format("{}, {} s in {}", model.name(), number(motion.last - motion.first, 4),
                       counted(static_cast<std::size_t>(motion.rows), "row"));
    if (motion.kept < motion.rows) what += fmt::format(", thinned out to {} of them", motion.kept);
  } else {
    const Robot robot = load_robot(options);
    data = viewer_robot(robot.model, read_state(robot.model, options, out).q).add("warnings", out.warnings());
    what = fmt::format("{}, {} to move", robot.model.name(), counted(robot.model.coordinates().size(), "joint"));
  }
  if (options.json) {
    out.line(data.text());
    return success;
  }
  const std::string text = fill(page, data.text());
  std::optional<write::Claim> claim = out.use_screen();
  if (!claim) claim = claim_file(options.output, options.force);
  write::replace_file(*claim, text);
  out.line(fmt::format("{}: {} ({:.1f} MB); open it in any browser", printable(options.output), printable(what),
                       static_cast<double>(text.size()) / 1e6));
  return success;
}

}  // namespace catena::cli
