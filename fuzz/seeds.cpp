// catena_seeds FOLDER: inputs to start from, made of the built-in robots: FOLDER/robot_toml, FOLDER/robot_urdf, ...
#include "catena/read/builtin.hpp"
#include "fuzz.hpp"

namespace {

void put(const std::filesystem::path& folder, const std::string& name, std::string_view text) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / name, std::ios::binary) << text;
}

}  // namespace

int main(int, char** arguments) {
  using namespace catena;
  const std::filesystem::path root = arguments[1];
  for (const char* name : {"stanford_arm", "planar_3r", "puma560", "ur_like", "arm7", "gantry", "joints"}) {
    const Description robot = read::robot(name).description;
    put(root / "robot_toml", name, *read::builtin_text(name));
    put(root / "robot_toml", std::string(name) + "_written", write::toml(robot));
    put(root / "robot_urdf", name, write::urdf(robot));
  }
  std::string header = "time", row = "0", list;
  for (const std::string& name : fuzz::robot().position_names()) {
    header += ",q." + name;
    row += ",0.5";
    list += (list.empty() ? "[" : ", ") + std::string("0.5");
  }
  for (const std::string& name : fuzz::robot().velocity_names()) {
    header += ",v." + name;
    row += ",-1e-3";
  }
  put(root / "trajectory", "rows", "# made\n" + header + "\n" + row + "\n" + row + "\n");
  put(root / "trajectory", "short", "t,q." + fuzz::robot().position_names()[0] + "\n0,1\n1,2\n");
  put(root / "recording_csv", "run",
      "# model: m\n# a\\x3a b: line\\n\n# units: s,\"m,m\"\ntime,\"q.a,b\"\n0,1\n0.5,2e-3\n1,");
  put(root / "recording_csv", "plain", "time,q\r\n0,1\r\n0.5,2");
  put(root / "recording_hdf5", "finished", std::string(5, '\0'));
  put(root / "recording_hdf5", "killed", std::string("\1\0\0\0\0", 5));
  put(root / "state", "toml", std::string(1, '\0') + "q = " + list + "]\n[v]\nhinge = 0.5\n");
  put(root / "state", "json", std::string(1, '\1') + "{\"q\": " + list + "], \"v\": {\"hinge\": 1}}\n");
  put(root / "state", "csv", std::string(1, '\2') + header + "\n" + row + "\n");
  return 0;
}
