"""Line plots as SVG, with the standard library alone: enough for the studies."""
import math

COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#aa3377", "#777777"]


def ticks(low, high, log):
    if log:
        return [10.0 ** k for k in range(math.ceil(round(low, 9)), math.floor(round(high, 9)) + 1)]
    step = 10 ** math.floor(math.log10((high - low) / 2))
    step *= next(m for m in (1, 2, 5, 10) if (high - low) / (m * step) <= 6)
    return [k * step for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def plot(path, title, panels, width=420, height=300):
    """panels: (title, x label, y label, [(name, xs, ys)], (low, high) of y, log). One legend, of the names of the first."""
    names = [line[0] for line in panels[0][3]]
    total = width * len(panels)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{height + 24}" font-family="sans-serif" '
           f'font-size="11"><title>{title}</title><rect width="100%" height="100%" fill="white"/>']
    for k, (name, x_label, y_label, lines, (low, high), log) in enumerate(panels):
        left, top, w, h = k * width + 56, 26, width - 72, height - 70
        y = (lambda v: math.log10(max(v, 1e-300))) if log else (lambda v: v)
        low, high, x_max = y(low), y(high), max(max(line[1]) for line in lines)
        X = lambda v: left + w * v / x_max
        Y = lambda v: top + h * (1 - (min(max(y(v), low), high) - low) / (high - low))
        out.append(f'<text x="{left + w / 2}" y="16" text-anchor="middle" font-weight="bold">{name}</text>')
        for v in ticks(0, x_max, False):
            out.append(f'<path d="M{X(v):.1f} {top}v{h}" stroke="#ddd"/><text x="{X(v):.1f}" y="{top + h + 14}" '
                       f'text-anchor="middle">{v:g}</text>')
        for v in ticks(low, high, log):
            out.append(f'<path d="M{left} {Y(v):.1f}h{w}" stroke="#ddd"/><text x="{left - 5}" y="{Y(v) + 4:.1f}" '
                       f'text-anchor="end">{v:g}</text>')
        out.append(f'<rect x="{left}" y="{top}" width="{w}" height="{h}" fill="none" stroke="#888"/>'
                   f'<text x="{left + w / 2}" y="{top + h + 30}" text-anchor="middle">{x_label}</text>'
                   f'<text transform="translate({left - 42} {top + h / 2}) rotate(-90)" text-anchor="middle">{y_label}</text>')
        for line, xs, ys in lines:
            points = " ".join(f"{X(a):.1f},{Y(b):.1f}" for a, b in zip(xs, ys))
            out.append(f'<polyline points="{points}" fill="none" stroke="{COLOURS[names.index(line) % 6]}" '
                       f'stroke-width="1.6"/>')
    x = 56
    for k, name in enumerate(names):
        out.append(f'<path d="M{x} {height + 6}h18" stroke="{COLOURS[k % 6]}" stroke-width="3"/>'
                   f'<text x="{x + 22}" y="{height + 10}">{name}</text>')
        x += 40 + 6.2 * len(name)
    path.write_text("\n".join(out) + "\n</svg>\n")
