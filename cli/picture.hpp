// A picture as a file: what is painted on a canvas becomes SVG (vectors) or PNG (two pixels for each unit of length).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "catena/write/claim.hpp"
#include "cli/canvas.hpp"

namespace catena::cli {

constexpr double largest_image = 32'000;  // cairo's images end at 32767 pixels

enum class PictureFormat { svg, png };

struct Picture {
  std::string content;        // the bytes of the file
  int width = 0, height = 0;  // pixels
};

// Letters become outlines: title and words go into the SVG as text too, for search and for those who listen. Throws
// DataError where cairo cannot.
Picture render(double width, double height, PictureFormat format, const std::string& title, const std::string& words,
               const std::function<void(const Canvas&)>& paint);

// By the ending of the name. option: whose value it is. Throws UsageError for another ending.
PictureFormat picture_format(const std::string& option, const std::string& path);

std::string size_in_words(std::size_t bytes);

// The file of --plot of commands that print something else besides. Claimed before anything is computed.
struct PictureFile {
  std::string path;
  PictureFormat format;
  write::Claim claim;
};
std::optional<PictureFile> claim_picture(const std::string& path, bool force);  // none where the path is empty
std::string written(const PictureFile& file, const Picture& picture);           // writes it; what to tell the user

}  // namespace catena::cli
