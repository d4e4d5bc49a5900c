"""Control in quasi-velocities (Jain and Rodriguez, section 8) against PD, computed torque and LQR: for control.md.

    ./python3 docs/studies/control.py            every run; the CSV files, the pictures and the tables of control.md
    ./python3 docs/studies/control.py --tables   the tables of control.md again, from the CSV files

--keep FOLDER leaves there the scenarios of all runs, for `catena simulate`.
"""
import argparse
import csv
import math
import re
import time
from pathlib import Path

import numpy as np

import control_laws as laws
import svg
from control_runs import Runner, Study

HERE = Path(__file__).resolve().parent
STARTS = [1, 2, 3, 4]


def write_csv(name, rows):
    with open(HERE / name, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows[0].keys())
        for row in rows:
            writer.writerow([f"{x:.6g}" if isinstance(x, float) else x for x in row.values()])


def read_csv(name):
    def value(text):
        try:
            return float(text)
        except ValueError:
            return text
    with open(HERE / name) as file:
        return [{key: value(text) for key, text in row.items()} for row in csv.DictReader(file)]


def number(x):
    if not math.isfinite(x):
        return "∞"
    if x != 0 and abs(x) < 0.01:
        return "< 0.01"
    return f"{x:.0f}" if abs(x) >= 100 else f"{x:.1f}" if abs(x) >= 10 else f"{x:.2f}"


def median(rows, key, of=lambda row: 1.0):
    return float(np.median([row[key] / of(row) for row in rows]))


def worst(rows, key, of=lambda row: 1.0):
    return max(row[key] / of(row) for row in rows)


def table(head, lines):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head)] + lines)


def grouped(rows, *keys):
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return groups


# Costs beside those of computed torque from the same start under nominal conditions.
def beside(rows, key, controller="computed torque"):
    base = {(r["robot"], r["start"]): r[key] for r in rows if r["controller"] == controller and r["condition"] == "nominal"}
    return lambda row: base[row["robot"], row["start"]]


def reach_table(rows, settle, conditions=None):
    energy, effort = beside(rows, "energy_J"), beside(rows, "effort_N2m2s")
    of = lambda row: settle[row["robot"]]
    lines, last = [], ""
    for (condition, controller), group in grouped(rows, "condition", "controller").items():
        if conditions and condition not in conditions:
            continue
        settled = [row for row in group if row["settled"]]
        time_of = f"{median(settled, 'settling_s', of):.2f} ({worst(settled, 'settling_s', of):.2f})" if settled else "–"
        lines.append([condition if condition != last else "", controller, f"{len(settled)} of {len(group)}", time_of,
                      number(worst(group, "overshoot_percent")),
                      f"{number(median(group, 'steady_mm'))} ({number(worst(group, 'steady_mm'))})",
                      f"{number(median(group, 'peak_percent'))} ({number(worst(group, 'peak_percent'))})",
                      number(median(group, "energy_J", energy)), number(median(group, "effort_N2m2s", effort))])
        last = condition
    return table(["condition", "controller", "settled", "settling time / T, median (worst)", "overshoot, worst [%]",
                  "error left, median (worst) [mm]", "peak torque, median (worst) [% of limit]", "∫\\|τ·v\\|", "∫τ²"], lines)


def robot_table(rows, settle):
    lines, last = [], ""
    for (robot, controller), group in grouped([r for r in rows if r["condition"] == "nominal"], "robot", "controller").items():
        times = [row["settling_s"] for row in group]
        lines.append([robot if robot != last else "", controller, f"{group[0]['w']:.2f}",
                      f"{np.median(times):.2f} ({min(times):.2f} to {max(times):.2f})",
                      f"{number(median(group, 'peak_Nm'))} ({number(worst(group, 'peak_Nm'))})",
                      number(median(group, "energy_J")), number(median(group, "effort_N2m2s"))])
        last = robot
    return table(["robot", "controller", "ω [rad/s]", "settling time [s], median (range)", "peak torque [N m], median (worst)",
                  "∫\\|τ·v\\| dt [J]", "∫τ² dt [N²m²s]"], lines)


def peak_table(rows, settle):
    of = lambda row: settle[row["robot"]]
    lines = []
    for (controller,), group in grouped(rows, "controller").items():
        lines.append([controller, f"{median(group, 'settling_s', of):.2f} ({worst(group, 'settling_s', of):.2f})",
                      f"{number(median(group, 'peak_percent'))} ({number(worst(group, 'peak_percent'))})",
                      number(worst(group, "overshoot_percent"))])
    return table(["controller", "settling time / T, median (worst)", "peak torque, median (worst) [% of limit]",
                  "overshoot, worst [%]"], lines)


def period_table(rows):
    robots = list(dict.fromkeys(row["robot"] for row in rows))
    lines = []
    for (controller,), group in grouped(rows, "controller").items():
        by = {row["robot"]: row for row in group}
        lines.append([controller] + [f"{number(by[r]['longest_ms'])} ms" for r in robots])
    return table(["controller"] + robots, lines)


def brake_table(rows, settle):
    energy = beside(rows, "energy_J")
    of = lambda row: settle[row["robot"]] / 2
    lines, last = [], ""
    for (condition, controller), group in grouped(rows, "condition", "controller").items():
        stopped = [row for row in group if row["stopped"]]
        times = [row["stop_s"] / of(row) for row in stopped]
        lines.append([condition if condition != last else "", controller, f"{len(stopped)} of {len(group)}",
                      f"{np.median(times):.2f} ({min(times):.2f} to {max(times):.2f})" if times else "–",
                      f"{number(median(group, 'drift_mm_s'))} ({number(worst(group, 'drift_mm_s'))})",
                      f"{number(median(group, 'peak_percent'))} ({number(worst(group, 'peak_percent'))})",
                      number(median(group, "energy_J", energy))])
        last = condition
    return table(["condition", "controller", "stopped", "stopping time / (T/2), median (range)",
                  "speed left, median (worst) [mm/s]", "peak torque, median (worst) [% of limit]", "∫\\|τ·v\\|"], lines)


def track_table(rows):
    lines, last = [], ""
    for (condition, controller), group in grouped(rows, "condition", "controller").items():
        lines.append([condition if condition != last else "", controller,
                      f"{number(median(group, 'rms_deg'))} ({number(worst(group, 'rms_deg'))})",
                      f"{number(median(group, 'end_deg'))} ({number(worst(group, 'end_deg'))})",
                      number(median(group, "peak_percent"))])
        last = condition
    return table(["condition", "controller", "rms error of the joints, median (worst) [°]",
                  "largest error at the end, median (worst) [°]", "peak torque, median [% of limit]"], lines)


def tables():
    settle = {robot.name: robot.settle for robot in laws.robots()}
    reach = read_csv("control_reach.csv")
    return {"robots": robot_table(reach, settle), "reach": reach_table(reach, settle),
            "peak": peak_table(read_csv("control_peak.csv"), settle), "periods": period_table(read_csv("control_periods.csv")),
            "brake": brake_table(read_csv("control_brake.csv"), settle), "track": track_table(read_csv("control_track.csv"))}


def with_tables(text):
    """The page with every table between <!-- table: name --> and <!-- end of table --> as the CSV files have it."""
    for name, content in tables().items():
        text = re.sub(rf"(<!-- table: {name} -->\n).*?(<!-- end of table -->)", lambda m: m[1] + content + "\n" + m[2], text,
                      flags=re.S)
    return text


def pictures(all_runs):
    puma = all_runs.robots[1]
    goal = puma.model.pose(puma.tool, puma.goal).p
    away = lambda rows: [1000 * float(np.linalg.norm(puma.model.pose(puma.tool, q).p - goal)) for q in rows.q]
    panels = []
    for seed in (2, 3, 4):
        lines = []
        for name in laws.REACHING:
            rows = all_runs.reach(puma, name, laws.NOMINAL, seed)[1]
            lines.append((name, rows.time, away(rows)))
        panels.append((f"PUMA 560, start {seed}, nominal", "t [s]", "distance of the tool [mm]", lines, (0.1, 1000), True))
    svg.plot(HERE / "control_reach.svg", "Distance of the tool from its goal", panels)
    panels = []
    for condition in (laws.NOMINAL, laws.CONDITIONS[-1]):
        lines = []
        for name in laws.BRAKING:
            rows = all_runs.stop(puma, name, condition, 1)[1]
            lines.append((name, rows.time, rows.kinetic / rows.kinetic[0]))
        panels.append((f"PUMA 560, {condition.name}", "t [s]", "kinetic energy, of that at the start", lines, (1e-6, 1), True))
    svg.plot(HERE / "control_brake.svg", "Kinetic energy while braking", panels)
    panels = []
    for condition in (laws.CONDITIONS[7], laws.CONDITIONS[-1]):
        lines = []
        for name in laws.REACHING:
            rows = all_runs.reach(puma, name, condition, 3)[1]
            lines.append((name, rows.time, away(rows)))
        panels.append((f"PUMA 560, start 3, {condition.name}", "t [s]", "distance of the tool [mm]", lines, (0.1, 1000), True))
    svg.plot(HERE / "control_errors.svg", "Distance of the tool from its goal under errors of the model", panels)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tables", action="store_true", help="write the tables of control.md from the CSV files, no runs")
    options.add_argument("--keep", metavar="FOLDER", help="keep the scenarios of all runs here")
    given = options.parse_args()
    if not given.tables:
        begin = time.time()
        runs = Study(laws.robots(), STARTS, Runner(given.keep))
        runs.tune_reaching()
        write_csv("control_reach.csv", runs.reaching())
        write_csv("control_peak.csv", runs.same_peak())
        write_csv("control_periods.csv", runs.longest_periods())
        runs.tune_braking()
        write_csv("control_brake.csv", runs.braking())
        write_csv("control_track.csv", runs.tracking())
        pictures(runs)
        print(f"{runs.run.runs} runs in {time.time() - begin:.0f} s")
    page = HERE / "control.md"
    page.write_text(with_tables(page.read_text()))


if __name__ == "__main__":
    main()
