#include "cli/picture.hpp"

#include <cairo-svg.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "catena/write/file.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"

namespace catena::cli {
namespace {

constexpr double sharpness = 2;  // pixels of a PNG for each unit

cairo_status_t append(void* content, const unsigned char* data, unsigned int size) {
  static_cast<std::string*>(content)->append(reinterpret_cast<const char*>(data), size);
  return CAIRO_STATUS_SUCCESS;
}

void require_drawn(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS)
    throw DataError(fmt::format("the picture cannot be drawn: {}", cairo_status_to_string(status)));
}

std::string escaped(const std::string& text) {
  std::string xml;
  for (const char c : text) {
    if (c == '&')
      xml += "&amp;";
    else if (c == '<')
      xml += "&lt;";
    else if (c == '>')
      xml += "&gt;";
    else
      xml += c;
  }
  return xml;
}

void paint_on_white(const Canvas& canvas, const std::function<void(const Canvas&)>& paint) {
  cairo_set_source_rgb(canvas.cairo(), 1, 1, 1);
  cairo_paint(canvas.cairo());
  paint(canvas);
  require_drawn(cairo_status(canvas.cairo()));
}

}  // namespace

Picture render(double width, double height, PictureFormat format, const std::string& title, const std::string& words,
               const std::function<void(const Canvas&)>& paint) {
  Picture picture;
  if (format == PictureFormat::svg) {
    picture.width = static_cast<int>(width), picture.height = static_cast<int>(height);
    const Surface surface(cairo_svg_surface_create_for_stream(append, &picture.content, width, height));
    cairo_svg_surface_set_document_unit(surface.get(), CAIRO_SVG_UNIT_PX);
    paint_on_white(Canvas(surface.get()), paint);
    cairo_surface_finish(surface.get());
    require_drawn(cairo_surface_status(surface.get()));
    const std::size_t root = picture.content.find('>', picture.content.find("<svg"));
    picture.content.insert(root + 1,
                           fmt::format("\n<title>{}</title>\n<desc>{}</desc>", escaped(title), escaped(words)));
    return picture;
  }
  const double scale = std::min(sharpness, largest_image / std::max(width, height));
  picture.width = static_cast<int>(width * scale), picture.height = static_cast<int>(height * scale);
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, picture.width, picture.height));
  const Canvas canvas(surface.get());
  cairo_scale(canvas.cairo(), scale, scale);
  paint_on_white(canvas, paint);
  require_drawn(cairo_surface_write_to_png_stream(surface.get(), append, &picture.content));
  return picture;
}

PictureFormat picture_format(const std::string& option, const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending != ".svg" && ending != ".png")
    throw UsageError(fmt::format("{} {}: pictures end in .svg or .png", option, path));
  return ending == ".svg" ? PictureFormat::svg : PictureFormat::png;
}

std::string size_in_words(std::size_t bytes) {
  return bytes < 10'000       ? fmt::format("{} bytes", bytes)
         : bytes < 10'000'000 ? fmt::format("{} kB", bytes / 1'000)
                              : fmt::format("{} MB", bytes / 1'000'000);
}

std::optional<PictureFile> claim_picture(const std::string& path, bool force) {
  if (path.empty()) return {};
  const PictureFormat format = picture_format("--plot", path);
  return PictureFile{path, format, claim_file(path, force)};
}

std::string written(const PictureFile& file, const Picture& picture) {
  write::replace_file(file.claim, picture.content);
  return fmt::format("{}: {} × {} pixels, {}", printable(file.path), picture.width, picture.height,
                     size_in_words(picture.content.size()));
}

}  // namespace catena::cli
