#include "bench/report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "cli/drawing.hpp"
#include "cli/table.hpp"

namespace catena::race {
namespace {

const char* short_name(Function function) {
  switch (function) {
    case Function::inverse: return "inverse";
    case Function::mass_matrix: return "M";
    case Function::forward: return "forward";
    case Function::mass_matrix_inverse: return "M⁻¹";
    case Function::linearize_inverse: return "∂inverse";
    case Function::linearize_forward: return "∂forward";
    default: return "C";
  }
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

// Everyone who was timed, in the order of their first appearance.
std::vector<std::string> names_in(const std::vector<Contest>& contests) {
  std::vector<std::string> names;
  for (const Contest& contest : contests)
    for (const Heat& heat : contest.heats)
      for (const Time& time : heat.times)
        if (std::find(names.begin(), names.end(), time.name) == names.end()) names.push_back(time.name);
  std::stable_partition(names.begin(), names.end(), [](const std::string& name) { return name.starts_with("Catena"); });
  return names;
}

const Time* find(const Heat& heat, const std::string& name) {
  for (const Time& time : heat.times)
    if (time.name == name) return &time;
  return nullptr;
}

void print_remarks(cli::Output& out, const Contest& contest) {
  for (const std::string& remark : contest.remarks) out.line("  " + cli::printable(remark));
}

// The middle of what half of the rounds spread over, in percent of the median: of all that was timed, the worst.
double spread(const Contest& contest) {
  double worst = 0;
  for (const Heat& heat : contest.heats)
    for (const Time& time : heat.times) worst = std::max(worst, (time.high - time.low) / 2 / time.median);
  return 100 * worst;
}

double divisor(const Contest& contest, const Growth& growth) { return growth.divided ? contest.*growth.size : 1; }

constexpr cli::Point gap = {std::numeric_limits<double>::quiet_NaN(), 0};

std::string svg(const cli::Figure& figure) { return cli::draw(figure, cli::PictureFormat::svg).content; }

}  // namespace

void print_loads(const std::vector<peers::Entry>& peers) {
  cli::Output out{cli::Options{}};
  out.line(fmt::format("processor: {}", processor()));
  out.line(fmt::format("Catena {}: {} {}", CATENA_VERSION, CATENA_COMPILER, CATENA_CXX_FLAGS));
  for (const peers::Entry& peer : peers) out.line(fmt::format("{} {}: {}", peer.name, peer.version, peer.build));
  out.deliver();
}

void print_table(const Contest& contest, bool fastest) {
  cli::Output out{cli::Options{}};
  out.title(
      fmt::format("{}, nv = {}: ns per state, and how many times Catena's plain call", contest.robot, contest.nv));
  std::vector<std::string> headings = {""};
  for (const Heat& heat : contest.heats)
    headings.push_back(">" + std::string(short_name(heat.function))), headings.push_back(">");
  cli::Table table(headings);
  for (const std::string& name : names_in({contest})) {
    std::vector<std::string> cells = {name};
    for (const Heat& heat : contest.heats) {
      const Time* time = find(heat, name);
      if (!time) {
        cells.insert(cells.end(), {"–", ""});
        continue;
      }
      const double ns = fastest ? time->fastest : time->median;
      cells.push_back(fmt::format("{:.{}f}", ns, ns < 100 ? 1 : 0));
      cells.push_back(fmt::format("{:.2f}", fastest ? ns / heat.times.front().fastest : time->ratio));
    }
    table.row(std::move(cells));
  }
  table.print(out);
  print_remarks(out, contest);
  out.line(fastest ? "  the fastest round of each"
                   : fmt::format("  half of the rounds lie within ±{:.0f} % of the median, or nearer",
                                 std::ceil(spread(contest))));
  out.deliver();
}

std::string csv(const std::vector<Contest>& contests) {
  std::string text = "robot,nv,states,function,way,median_ns,quartile1_ns,quartile3_ns,fastest_ns,ratio_to_catena\n";
  for (const Contest& contest : contests)
    for (const Heat& heat : contest.heats)
      for (const Time& time : heat.times)
        text += fmt::format("\"{}\",{},{},{},\"{}\",{:.1f},{:.1f},{:.1f},{:.1f},{:.3f}\n", contest.robot, contest.nv,
                            contest.states, function_name(heat.function), time.name, time.median, time.low, time.high,
                            time.fastest, time.ratio);
  return text;
}

std::string picture(const std::vector<Contest>& contests) {
  cli::Figure figure{fmt::format("Time per call, {}", processor()), {}};
  const std::vector<std::string> names = names_in(contests);
  for (const Contest& contest : contests) {
    cli::Panel panel;
    panel.title = fmt::format("{}, nv = {}", contest.robot, contest.nv);
    panel.y_label = "ns per state";
    panel.log_y = panel.dots = true;
    for (const Heat& heat : contest.heats) panel.names.push_back(short_name(heat.function));
    for (std::size_t i = 0; i < names.size(); ++i) {
      cli::Series dots{names[i], {}, static_cast<int>(i)}, lines{"", {}, static_cast<int>(i) % cli::solid_styles};
      const double aside = 0.7 * (static_cast<double>(i) + 0.5) / static_cast<double>(names.size()) - 0.35;
      for (std::size_t h = 0; h < contest.heats.size(); ++h) {
        const Time* time = find(contest.heats[h], names[i]);
        if (!time) continue;
        const double x = static_cast<double>(h) + aside;
        for (const cli::Point& p : {cli::Point{x, std::log10(time->median)}, gap}) dots.points.push_back(p);
        for (const cli::Point& p : {cli::Point{x, std::log10(time->low)}, {x, std::log10(time->high)}, gap})
          lines.points.push_back(p);
      }
      if (dots.points.empty()) continue;
      panel.series.push_back(dots);
      panel.series.push_back(lines);
    }
    figure.panels.push_back(panel);
  }
  return svg(figure);
}

void print_growth(const std::vector<Contest>& contests, const Growth& growth) {
  cli::Output out{cli::Options{}};
  for (const Function function : growth.functions) {
    out.title(fmt::format("{}: ns per {}", short_name(function), growth.per));
    std::vector<std::string> headings = {">" + growth.of};
    const std::vector<std::string> names = names_in(contests);
    for (const std::string& name : names) headings.push_back(">" + name);
    cli::Table table(headings);
    for (const Contest& contest : contests) {
      std::vector<std::string> cells = {std::to_string(contest.*growth.size)};
      for (const std::string& name : names) {
        std::string cell = "–";
        for (const Heat& heat : contest.heats)
          if (const Time* time = find(heat, name); time && heat.function == function)
            cell = fmt::format("{:.1f}", time->median / divisor(contest, growth));
        cells.push_back(cell);
      }
      table.row(std::move(cells));
    }
    table.print(out);
  }
  for (const Contest& contest : contests) {
    if (!contest.remarks.empty()) out.line(fmt::format("  {}:", contest.robot));
    print_remarks(out, contest);
  }
  out.deliver();
}

std::string growth_picture(const std::vector<Contest>& contests, const Growth& growth) {
  cli::Figure figure{fmt::format("{}, {}", growth.title, processor()), {}};
  const std::vector<std::string> names = names_in(contests);
  for (const Function function : growth.functions) {
    cli::Panel panel;
    panel.title = short_name(function);
    panel.x_label = growth.of, panel.y_label = "ns per " + growth.per;
    panel.log_x = panel.log_y = true;
    for (std::size_t i = 0; i < names.size(); ++i) {
      cli::Series curve{names[i], {}, static_cast<int>(i)};
      for (const Contest& contest : contests)
        for (const Heat& heat : contest.heats)
          if (const Time* time = find(heat, names[i]); time && heat.function == function)
            curve.points.push_back(
                {std::log10(contest.*growth.size), std::log10(time->median / divisor(contest, growth))});
      if (!curve.points.empty()) panel.series.push_back(curve);
    }
    figure.panels.push_back(panel);
  }
  return svg(figure);
}

}  // namespace catena::race
