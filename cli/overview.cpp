// The table of commands, the overview that `catena --help` prints, and how this binary was built.
#include <fmt/format.h>

#include "cli/arguments.hpp"

namespace catena::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"demo", "a first look: the Stanford arm along the path of Saha's paper",
       "Loads the built-in Stanford arm, computes the joint forces along a published motion, and gives them back to "
       "the "
       "forward dynamics.",
       "  catena demo", run_demo},
      {"info", "what a robot is: bodies, joints, state layout, mass, terms in use",
       "Shows what Catena read: bodies, joints, the layout of q and v, mass, and every term that enters the dynamics.",
       "  catena info stanford_arm            # a built-in robot\n"
       "  catena info robot.urdf --floating   # a legged robot: free joint under its root\n"
       "  catena info robot.urdf --json",
       run_info},
      {"models", "the built-in robots", "Lists the robots that come with Catena, with the source of their numbers.",
       "  catena models", run_models},
      {"doctor", "what is wrong with a robot file, and how to mend it",
       "Finds every defect with file and line, says what it means physically, and can write a mended file. Exit code 0 "
       "without errors, 3 with errors (--strict: with warnings too).",
       "  catena doctor robot.urdf\n"
       "  catena doctor robot.urdf --fix mended.urdf   # nearest valid inertias, each change listed\n"
       "  catena doctor robot.urdf --strict --json     # for continuous integration",
       run_doctor},
      {"convert", "from one format to another, masses and M(q) compared",
       "Writes the robot in another format, reads the result back and compares mass, centre of mass and M(q).",
       "  catena convert stanford_arm arm.urdf\n"
       "  catena convert robot.urdf robot.toml --states 100",
       run_convert},
      {"inverse", "forces from motion: tau for a state or a whole trajectory",
       "Inverse dynamics: the joint forces tau that make the robot move with accelerations a at positions q and "
       "velocities v. Positions default to the neutral pose, everything else to zero.",
       "  catena inverse stanford_arm --q 0,90deg,0.1,0,0,0        # what it takes to hold still\n"
       "  catena inverse stanford_arm --random 7 --wrenches        # reaction in every joint\n"
       "  catena inverse planar_3r --random 1 --explain            # tau term by term\n"
       "  catena inverse robot.urdf --state pose.json --json\n"
       "  catena inverse robot.urdf --trajectory motion.csv --output tau.csv\n"
       "  catena inverse puma560 --to 60deg,-30deg,0,0,45deg,0 --trajectory cycloidal:2 --output move.csv\n"
       "  catena inverse robot.urdf --wrench tool:0,0,-50@aligned    # 5 kg in the hand",
       run_inverse},
      {"forward", "accelerations from forces, by independent methods",
       "Forward dynamics: the accelerations that joint forces tau cause at positions q and velocities v.",
       "  catena forward stanford_arm --q 0,90deg,0,0,0,0          # let go: how does it fall?\n"
       "  catena forward planar_3r --tau 1,0,0 --method composite\n"
       "  catena forward robot.urdf --random 3 --json",
       run_forward},
      {"matrices", "mass matrix, its inverse and derivative, Coriolis matrix, gravity",
       "The parts of the equation of motion M(q) a + C(q, v) v + gravity(q) + joint forces(q, v) = tau.",
       "  catena matrices planar_3r --q 10deg,20deg,30deg --v 1,0,0\n"
       "  catena matrices robot.urdf --random 1 --only mass_matrix,gravity --json",
       run_matrices},
      {"operators", "the papers' operators by name, and identities of them typed and checked",
       "The operators of the papers at a state as named matrices, and expressions in the papers' notation with "
       "the "
       "norm of the result. Without names: the list of them.",
       "  catena operators arm7                                    # what there is\n"
       "  catena operators arm7 \"(1+H*Phi*K)*D*(1+H*Phi*K)^T - M\" --random 1\n"
       "  catena operators planar_3r --show noc.K,noc.T \"noc.K*noc.T\" --random 1\n"
       "  catena operators robot.urdf --show Phi,P,D --npz operators.npz",
       run_operators},
      {"linearize", "how forces and accelerations change with the state; state space",
       "Linearized dynamics about a state: M, A_D = ∂tau/∂v, B_D = ∂tau/∂q, M⁻¹, A_C = −∂a/∂v, B_C = −∂a/∂q, and the "
       "state-space pair A, B. With --a (default zero) the forces follow, with --tau the accelerations.",
       "  catena linearize planar_3r --q 10deg,20deg,30deg\n"
       "  catena linearize planar_3r --random 1 --tau 0,0,0 --json   # no forces: it falls\n"
       "  catena linearize stanford_arm --step 0.001 --json     # sampled at 1 kHz, input held",
       run_linearize},
      {"diagonalize", "the equations of motion in quasi-velocities, without a mass matrix",
       "Diagonalized dynamics: M = U D Uᵀ = m mᵀ, the quasi-velocities nu and xi, the forces epsilon and kappa, and "
       "every term of both equations of motion.",
       "  catena diagonalize planar_3r --q 10deg,20deg,30deg --v 1,2,3\n"
       "  catena diagonalize planar_3r --random 1 --explain        # what each term is made of\n"
       "  catena diagonalize robot.urdf --random 1 --json",
       run_diagonalize},
      {"count", "multiplications and additions of every algorithm, beside the papers' tables",
       "Runs every algorithm with a scalar that counts. Zeros and ones of the robot's constants are free, as in a "
       "program written for it. Also: formulas in the number of joints beside every count printed in the papers.",
       "  catena count                       # formulas in n, and the papers' tables\n"
       "  catena count puma560 --sweeps      # this robot, sweep by sweep\n"
       "  catena count robot.urdf --json",
       run_count},
      {"generate", "standalone C or C++ for one robot, short and fast, with a self-test",
       "Writes functions specialised to the robot as readable source: one header, one source that needs only math.h "
       "and "
       "the stack, and a self-test with the library's values.",
       "  catena generate stanford_arm --function inverse,forward\n"
       "  catena generate robot.urdf --function all -o generated/\n"
       "  catena generate arm7 --function jacobian,pose --frames flange\n"
       "  catena generate arm7 --float -o firmware/arm          # for a microcontroller",
       run_generate},
      {"curvature", "is there a change of coordinates that removes the Coriolis forces?",
       "Riemann symbols of M(q) from exact second derivatives: flat or not, the curvature values, and how far from "
       "flat "
       "each pair of joints is over the workspace. Of a flat robot also the coordinates without Coriolis forces.",
       "  catena curvature planar_3r --q 0.3,-0.7,1.1\n"
       "  catena curvature gantry --flat --q 0.5,-0.2,0.1,90deg\n"
       "  catena curvature gantry --json",
       run_curvature},
      {"bench", "race: time per call of every function, plain, compiled and in batches",
       "Times this robot's functions by the plain library, with a workspace and in the short form that returns its "
       "results, by machine code made for it and by that code on many states at once, on one thread and on two: in "
       "turns "
       "within one run, after comparing their results.",
       "  catena bench puma560\n"
       "  catena bench puma560 --function nu,xi,jacobian\n"
       "  catena bench robot.urdf --floating --json",
       run_bench},
      {"verify", "prove it: independent routes compared, digits of agreement",
       "Compares independent algorithms and physical laws at random states. Exit code 4 if any check fails.",
       "  catena verify stanford_arm\n"
       "  catena verify robot.urdf --floating --states 100 --json",
       run_verify},
      {"simulate", "motion from forces over time, with an energy audit",
       "Simulates a scenario file, or a robot from the state that the flags give. Prints what happened and the "
       "energy balance; --output records the run (.csv or .h5), from where plot and view go on.",
       "  catena simulate stanford_arm --duration 1 --every 0.1              # let go\n"
       "  catena simulate scenario.toml --output run.h5\n"
       "  catena simulate robot.urdf --duration 5 --integrator bdf --rtol 1e-8 --output run.csv\n"
       "  catena simulate planar_3r --duration 0.5 --sensitivity initial,gravity   # how the end depends on it\n"
       "  catena simulate arm7 --payload flange:2 --sensitivity flange.payload --sensitivity-file held.csv\n"
       "  catena simulate scenario.toml --output run.h5 --resume             # after a crash",
       run_simulate},
      {"plot", "curves of a recorded run, as SVG or PNG",
       "Draws positions, velocities, forces and energies of a recording, with names and units.",
       "  catena plot run.csv --output run.svg\n"
       "  catena plot run.h5 --show position,quasi --output run.png",
       run_plot},
      {"view", "a page that replays a run in 3-D, in any browser, offline",
       "Writes one self-contained HTML page: the robot in 3-D, play and scrub, curves and energies beneath.",
       "  catena view run.h5 --output run.html\n"
       "  catena view humanoid --output humanoid.html",
       run_view},
      {"completion", "shell completion for bash, zsh or fish", "Prints a completion script.",
       "  source <(catena completion bash)\n"
       "  catena completion zsh > ~/.zfunc/_catena\n"
       "  catena completion fish > ~/.config/fish/completions/catena.fish",
       run_completion},
  };
  return table;
}

std::string overview() {
  std::string text =
      "Catena: robot dynamics you can check.\n\n"
      "Usage: catena COMMAND [MODEL] [OPTIONS]\n\n"
      "Commands:\n";
  for (const Command& command : commands()) text += fmt::format("  {:<12}{}\n", command.name, command.summary);
  text +=
      "\nMODEL is a robot file (.urdf, .toml, .json) or the name of a built-in robot.\n"
      "Units are m, kg, s, rad, N, N m; 6-vectors have the angular part first.\n"
      "Every command takes --help, all but completion --json for programs. Exit codes: 0 done, 2 wrong usage,\n"
      "3 bad model or data, 4 numerical failure.\n\n"
      "Start here:\n"
      "  catena demo\n"
      "  catena info stanford_arm\n"
      "  catena inverse stanford_arm --q 0,90deg,0.1,0,0,0\n";
  return text;
}

std::string version_text() {
  const char* lanes = "scalar";
#if defined(__x86_64__)
  lanes = __builtin_cpu_supports("avx512f") ? "AVX-512" : __builtin_cpu_supports("avx2") ? "AVX2" : "SSE2";
#elif defined(__aarch64__)
  lanes = "NEON";
#endif
  return fmt::format("catena {}\nbuild     {}\ncompiler  {}\nflags     {}\nSIMD      this machine offers {}\n",
                     CATENA_VERSION, CATENA_BUILD_TYPE, CATENA_COMPILER, CATENA_CXX_FLAGS, lanes);
}

}  // namespace catena::cli
