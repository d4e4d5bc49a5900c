// The visuals and collisions of a URDF link, kept for the viewer and the writers.
#include <tinyxml2.h>

#include <cstring>

#include "catena/read/number.hpp"
#include "catena/read/urdf_xml.hpp"

namespace catena::read {
namespace {

bool read_geometry(const Element& geometry, Xml& xml, Shape& shape) {
  const Element* element = geometry.FirstChildElement();
  if (!element) {
    xml.report("shape-kind", geometry, "<geometry> is empty; the shape is left out",
               "write a <box>, <mesh>, ... in it");
    return false;
  }
  const char* kind = element->Name();
  xml.log().use(element);
  if (std::strcmp(kind, "box") == 0) {
    shape.kind = Shape::Kind::box;
    const auto size = xml.vector(*element, "size");
    if (!size) xml.report("attribute-missing", *element, "<box> has no size", "write size=\"x y z\"");
    shape.size = size.value_or(Vector3::Zero());
  } else if (std::strcmp(kind, "cylinder") == 0 || std::strcmp(kind, "capsule") == 0) {
    shape.kind = kind[1] == 'y' ? Shape::Kind::cylinder : Shape::Kind::capsule;
    shape.size = {xml.required_number(*element, "radius"), xml.required_number(*element, "length"), 0};
  } else if (std::strcmp(kind, "sphere") == 0) {
    shape.kind = Shape::Kind::sphere;
    shape.size = {xml.required_number(*element, "radius"), 0, 0};
  } else if (std::strcmp(kind, "mesh") == 0) {
    shape.kind = Shape::Kind::mesh;
    shape.mesh = xml.required_text(*element, "filename").value_or("");
    if (const auto scale = xml.numbers(*element, "scale", 1, 3)) {
      // One number scales all three directions.
      const std::vector<double>& s = *scale;
      shape.scale = s.size() == 3 ? Vector3(s[0], s[1], s[2]) : Vector3::Constant(s[0]);
    }
  } else {
    xml.report(Severity::note, "shape-kind", element->GetLineNum(),
               "the shape " + quote(kind) + " is not known and left out", "dynamics does not need it");
    return false;
  }
  return shape.size.allFinite() && shape.scale.allFinite() && shape.pose.R.allFinite() && shape.pose.p.allFinite();
}

std::optional<Colour> read_colour(const Element& material, Xml& xml) {
  const Element* colour = material.FirstChildElement("color");
  if (!colour) return std::nullopt;
  const auto numbers = xml.numbers(*colour, "rgba", 3, 4);
  if (!numbers) return std::nullopt;
  Colour rgba(0, 0, 0, 1);
  for (std::size_t i = 0; i < numbers->size(); ++i) rgba[static_cast<int>(i)] = static_cast<float>((*numbers)[i]);
  if (!rgba.allFinite()) return std::nullopt;
  return rgba;
}

void use_colour(const Element& material, Log& log) { log.use(&material), log.use(material.FirstChildElement("color")); }

}  // namespace

void read_material(const Element& element, Xml& xml, Materials& materials) {
  const auto name = xml.text(element, "name");
  xml.log().leave(element.FindAttribute("name"));  // the colour is kept with the shapes, its name is not
  const auto colour = read_colour(element, xml);
  if (name && colour) materials.try_emplace(*name, Material{*colour, &element});
}

std::vector<Shape> read_link_shapes(const Element& link, const std::string& owner, Log& log, Materials& materials) {
  std::vector<Shape> shapes;
  Xml xml(log, owner, Severity::warning);
  for (const Element* e = link.FirstChildElement(); e; e = e->NextSiblingElement()) {
    const bool collision = std::strcmp(e->Name(), "collision") == 0;
    if (!collision && std::strcmp(e->Name(), "visual") != 0) continue;
    xml.expect(*e, {"name", "group"}, {"origin", "geometry", "material", "verbose", "contact_coefficients"});
    Shape shape;
    shape.collision = collision;
    shape.name = xml.text(*e, "name").value_or("");
    shape.pose = xml.origin(*e);
    const Element* geometry = xml.child(*e, "geometry");
    log.use(e);
    if (!geometry) {
      log.leave(e);
      xml.report("element-missing", *e, "a shape has no <geometry>; it is left out", "write a <geometry> or remove it");
      continue;
    }
    if (!read_geometry(*geometry, xml, shape)) {
      log.leave(e);
      continue;
    }
    if (const Element* material = e->FirstChildElement("material")) {
      shape.rgba = read_colour(*material, xml);
      const std::string name = xml.text(*material, "name").value_or("");
      if (shape.rgba) {
        use_colour(*material, log);
        if (!name.empty()) materials.try_emplace(name, Material{*shape.rgba, material});
      } else if (const auto known = materials.find(name); known != materials.end()) {
        shape.rgba = known->second.rgba;
        use_colour(*known->second.element, log);
        log.use(material);
      }
      log.leave(material->FindAttribute("name"));  // the colour is kept, its name is not
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace catena::read
