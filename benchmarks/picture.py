"""Bars of measured times as one SVG, which needs nothing to be seen."""
from __future__ import annotations

from html import escape

# Each kind has a texture of its own: the picture is read in print as well.
STYLES = {
    "eager": ("#c9c9c9", ""), "torch.compile": ("#9dbcd9", "4 2"), "max-autotune": ("#6f9fc8", "1 2"),
    "SDPA": ("#d6c38a", "6 2 1 2"), "Mirage": ("#2f7d4f", ""), "Mirage, dependent launch": ("#79b58f", "8 3"),
}
ROW, LEFT, WIDTH, RIGHT = 16, 170, 620, 60


def bars(title: str, groups: list[tuple[str, list[tuple[str, float | None]]]]) -> str:
    """`groups` are (name, [(kind, microseconds or None where there is no figure that holds)])."""
    known = [value for _, rows in groups for _, value in rows if value is not None]
    most = max(known, default=1.0)
    height = 34 + sum(22 + ROW * len(rows) for _, rows in groups)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
             f'viewBox="0 0 {WIDTH} {height}" role="img" font-family="sans-serif" font-size="11">',
             f"<title>{escape(title)}</title>", f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
             f'<text x="8" y="18" font-size="13">{escape(title)}</text>']
    y = 34
    for name, rows in groups:
        lines.append(f'<text x="8" y="{y + 12}" font-weight="bold">{escape(name)}</text>')
        y += 18
        for kind, value in rows:
            fill, dash = STYLES.get(kind, ("#888", ""))
            lines.append(f'<text x="{LEFT - 6}" y="{y + 11}" text-anchor="end">{escape(kind)}</text>')
            if value is None:
                lines.append(f'<text x="{LEFT}" y="{y + 11}" class="none">no figure: its check failed</text>')
            else:
                length = (WIDTH - LEFT - RIGHT) * value / most
                lines.append(f'<rect class="bar" x="{LEFT}" y="{y + 2}" width="{length:.1f}" height="{ROW - 4}" '
                             f'fill="{fill}" stroke="#333"' + (f' stroke-dasharray="{dash}"' if dash else "") + "/>")
                lines.append(f'<text x="{LEFT + length + 5:.1f}" y="{y + 11}">{value:.2f}</text>')
            y += ROW
        y += 4
    return "\n".join([*lines, "</svg>"]) + "\n"
