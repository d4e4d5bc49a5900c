"""One run of the tool for every option of every command, and runs whose JSON has every key.

EFFECTS: the command line with and without what stands in braces must differ in what comes out: exit code, text or files.
`=> 3` is the exit code expected with it. `=> same`: the option is taken so that a robot can be described to every command in
the same words, and says nothing about this one's answer; then the outcomes must be equal."""

# The robot's options. Each command on a robot and a state where all terms count: robot.urdf has damping and friction.
_ROBOT_BASES = {
    "info": "robot.urdf",
    "inverse": "robot.urdf --random 3",
    "forward": "robot.urdf --random 3",
    "matrices": "robot.urdf --random 3",
    "operators": "robot.urdf --random 3 --show gravity,soa.V",
    "linearize": "robot.urdf --q elbow=0.5",  # at rest, where friction has a slope
    "diagonalize": "robot.urdf --random 3",
    "curvature": "robot.urdf --random 3 --states 2",
    "count": "robot.urdf",
    "generate": "robot.urdf -o out",
    "bench": "robot.urdf --function bias --json",
    "verify": "robot.urdf --states 2 --json",
    "simulate": "robot.urdf --duration 0.1 --random 3",
    "view": "robot.urdf --json",
}
# The curvature belongs to the mass matrix, a page shows a pose.
_SAME = {
    "curvature": ("--no-friction", "--no-damping"),
    "operators": ("--no-friction", "--no-damping", "--no-joint-terms"),
    "view": ("--no-friction", "--no-damping", "--no-joint-terms"),
}

EFFECTS = []
for _command, _base in _ROBOT_BASES.items():
    for _option in ("--gravity 0,1,-2", "--no-friction", "--no-damping", "--no-joint-terms"):
        _same = " => same" if _option.split()[0] in _SAME.get(_command, ()) else ""
        _robot = "puma560 --random 3 --states 2" if (_command, _option) == ("curvature", "--no-joint-terms") else _base
        EFFECTS.append(f"{_command} {_robot} {{{_option}}}{_same}")
    # Coordinates for the curvature need v = dq/dt, which a free joint has not.
    EFFECTS.append(f"{_command} {_base} {{--floating}}" + (" => 3" if _command == "curvature" else ""))
    EFFECTS.append(f"{_command} {_base.replace('robot.urdf', 'warned.urdf')} {{--strict}} => 3")

# The state.
for _command, _base in {"inverse": "robot.urdf", "forward": "robot.urdf", "matrices": "robot.urdf",
                        "operators": "robot.urdf --show M,V", "linearize": "robot.urdf", "diagonalize": "robot.urdf", "curvature": "robot.urdf --states 2",
                        "simulate": "robot.urdf --duration 0.1", "view": "robot.urdf --json"}.items():
    EFFECTS += [f"{_command} {_base} {{--q 0.1,45deg,-1}}", f"{_command} {_base} {{--state pose.json}}",
                f"{_command} {_base} {{--random 5}}"]
    if _command not in ("curvature", "view"):
        EFFECTS.append(f"{_command} {_base} --random 2 {{--v elbow=2}}")
for _command in ("inverse", "forward", "linearize", "diagonalize"):
    EFFECTS += [f"{_command} robot.urdf {{--wrench tool:0,0,-50@aligned}}",
                f"{_command} robot.urdf --random 2 {{--base-twist 0,0,1,0,0,0}}",
                f"{_command} robot.urdf --random 2 {{--base-acceleration 0,0,0,1,0,0}}"]
EFFECTS += [
    "operators robot.urdf --show noc.w_W {--wrench tool:0,0,-50@aligned}",
    "operators robot.urdf --random 2 --show V {--base-twist 0,0,1,0,0,0}",
    "operators robot.urdf --random 2 --show V {--base-acceleration 0,0,0,1,0,0}",
    "inverse robot.urdf {--a 1,2,3}",
    "linearize robot.urdf --random 2 {--a 1,2,3}",
    "diagonalize robot.urdf --random 2 {--a 1,2,3}",
    "forward robot.urdf {--tau 1,2,3}",
    "operators robot.urdf --random 3 --show B_C {--a 1,2,3}",
    "linearize robot.urdf --random 2 {--tau 1,2,3}",
    "diagonalize robot.urdf --random 2 {--tau 1,2,3}",
    "simulate robot.urdf --duration 0.1 {--tau 1,2,3}",
]

# Output. old.toml is there already.
for _command, _base in {"demo": "", "models": "", **_ROBOT_BASES, "doctor": "robot.urdf",
                        "convert": "robot.urdf new.toml", "generate": "robot.urdf", "bench": "robot.urdf --function bias",
                        "verify": "robot.urdf --states 2", "simulate": "robot.urdf --duration 0.1",
                        "plot": "run.csv", "view": "robot.urdf -o page.html"}.items():
    EFFECTS.append(f"{_command} {_base} {{--json}}")
    if _command in ("simulate", "plot", "view", "generate"):
        continue  # files of their own kind, below
    EFFECTS += [f"{_command} {_base} {{--output new.txt}}", f"{_command} {_base} --output old.toml {{--force}}"]
EFFECTS += [
    "simulate robot.urdf --duration 0.1 {--output new.csv}",
    "simulate robot.urdf --duration 0.1 --output run.csv {--force}",
    "simulate scenario.toml --output run.csv {--resume}",
    "plot run.csv {--output new.png}",
    "plot run.csv --output old.toml {--force} => 2",  # not without the ending of a picture either
    "view robot.urdf {--output new.html}",
    "view robot.urdf --output old.toml {--force}",
    "generate robot.urdf {--output new}",
    "generate robot.urdf --output old {--force}",
]

# Options of single commands.
EFFECTS += [
    "doctor warned.urdf {--fix mended.toml}",
    "doctor warned.urdf {--strict} => 3",
    "doctor robot.urdf {--floating}",
    "convert robot.urdf new.toml {--states 3}",
    "convert puma560 new.urdf --states 3 {--seed 9}",
    "convert robot.urdf new.toml {--floating}",
    "inverse robot.urdf {--trajectory motion.csv}",
    "inverse robot.urdf --trajectory cycloidal:1 {--to 1,0,0}",
    "inverse robot.urdf --trajectory cycloidal:1 --to 1,0,0 {--every 0.1}",
    "inverse robot.urdf {--wrenches}",
    "inverse robot.urdf {--method noc}",
    "info robot.urdf {--dh}",
    "operators robot.urdf {--show D}",
    "operators robot.urdf --show D {--npz matrices.npz}",
    "operators robot.urdf --show D {--plot matrices.svg}",
    "inverse robot.urdf --random 3 {--explain}",
    "diagonalize robot.urdf --random 3 {--explain}",
    "diagonalize robot.urdf --random 3 {--plot tables.svg}",
    "diagonalize planar_3r --random 3 --explain --json {--row joint2}",
    "linearize planar_3r {--plot tangents.svg}",
    "linearize planar_3r --plot tangents.svg {--along joint2}",
    "forward robot.urdf {--method denoc}",
    "matrices robot.urdf {--only gravity,bias}",
    "linearize robot.urdf {--step 0.01}",
    "linearize robot.urdf {--trajectory motion.csv}",
    "linearize robot.urdf --trajectory cycloidal:1 {--to 1,0,0}",
    "linearize robot.urdf --trajectory cycloidal:1 --to 1,0,0 {--every 0.1}",
    "linearize robot.urdf {--method 6T}",
    "curvature gantry --states 2 {--flat}",
    "curvature planar_3r --states 2 {--flat} => 4",
    "curvature gantry --states 2 --flat {--from 0.5,0,0,0}",
    "curvature planar_3r --json {--states 3}",
    "curvature planar_3r --json --states 3 {--seed 9}",
    "count planar_3r {--sweeps}",
    "count {--tables}",
    "generate robot.urdf {--function forward,jacobian}",
    "generate robot.urdf --function jacobian {--frames tool}",
    "generate robot.urdf {--parameters gravity,tool.payload.mass}",
    "generate robot.urdf {--float}",
    "generate robot.urdf {--cpp}",
    "bench robot.urdf --json {--function bias}",
    "bench robot.urdf --json --function pose {--frames base}",
    "verify robot.urdf --json {--states 3}",
    "verify robot.urdf --json --states 2 {--seed 9}",
    "simulate robot.urdf {--duration 0.2}",
    "simulate robot.urdf --duration 0.2 {--every 0.1}",
    "simulate robot.urdf --duration 0.1 {--integrator adams}",
    "simulate robot.urdf --duration 0.1 --integrator rk4 {--step 0.01}",
    "simulate robot.urdf --duration 0.1 {--rtol 1e-5}",
    "simulate robot.urdf --duration 0.1 --random 3 {--coordinates xi}",
    "simulate robot.urdf --duration 2 {--limits bounce}",
    "simulate robot.urdf --duration 0.1 --output new.csv {--record a,nu}",
    "simulate robot.urdf --duration 0.1 {--sensitivity gravity}",
    "simulate robot.urdf --duration 0.1 --sensitivity gravity {--sensitivity-file new.csv}",
    "simulate robot.urdf --duration 0.1 {--payload tool:2}",
    "plot run.csv {--show energy}",
    "plot run.csv {--title Fall}",
]

# For each row of the contract in docs/cli.md: runs that together show every key.
JSON_RUNS = {
    "demo": ["demo"],
    "info": ["info joints", "info robot.urdf", "info robot.urdf --dh"],
    "models": ["models"],
    "doctor": ["doctor robot.urdf", "doctor robot.urdf --fix mended.urdf", "doctor chain:3"],
    "convert": ["convert robot.urdf new.toml", "convert chain:2000 new.toml"],
    "inverse": ["inverse robot.urdf", "inverse joints --wrenches", "inverse quadruped --explain"],
    "inverse --trajectory": ["inverse robot.urdf --trajectory motion.csv", "inverse robot.urdf --trajectory untimed.csv",
                             "inverse robot.urdf --to 2,2,2 --trajectory cycloidal:0.1",
                             "inverse quadruped --to rear_left_knee=-1 --trajectory cycloidal:1"],
    "forward": ["forward robot.urdf", "forward joints"],
    "matrices": ["matrices robot.urdf", "matrices joints", "matrices robot.urdf --only gravity"],
    "operators": ["operators robot.urdf", "operators joints --show M", "operators robot.urdf 2*M-M",
                  "operators planar_3r --show D --plot matrices.svg"],
    "linearize": ["linearize robot.urdf", "linearize joints --step 0.01", "linearize planar_3r --plot tangents.svg"],
    "linearize --trajectory": ["linearize robot.urdf --trajectory motion.csv",
                               "linearize joints --to hinge=0.1 --trajectory cycloidal:0.1 --step 0.01"],
    "diagonalize": ["diagonalize robot.urdf", "diagonalize quadruped --explain",
                    "diagonalize planar_3r --plot tables.svg"],
    "curvature": ["curvature planar_3r", "curvature chain:1", "curvature gantry --flat"],
    "count": ["count robot.urdf", "count quadruped"],
    "count (no MODEL)": ["count"],
    "generate": ["generate robot.urdf --function all"],
    "bench": ["bench robot.urdf --function bias,pose", "bench robot.urdf --function forward_nu",
              "bench joints --function nu"],
    "verify": ["verify robot.urdf --states 2"],
    "simulate": ["simulate robot.urdf --duration 0.1", "simulate quadruped --duration 0.1 --output new.csv",
                 "simulate robot.urdf --duration 0.1 --sensitivity tau",
                 "simulate robot.urdf --duration 0.1 --sensitivity tau --sensitivity-file new.csv"],
    "plot": ["plot run.csv"],
    "view": ["view robot.urdf", "view joints", "view run.csv", "view stanford_arm", "view plain.urdf"],
}
