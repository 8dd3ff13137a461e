"""How the HTML picture looks: light and dark after the reader's wish, and on paper."""

from __future__ import annotations

CSS = """
:root { color-scheme: light dark; --back: #fff; --text: #1b1f24; --soft: #59636e; --line: #d6dbe0; --panel: #f5f7f9;
  --good: #17703a; --bad: #b3261e; --note: #7a5200; --curve: #0b5fb0; --band: #0b5fb022; }
@media (prefers-color-scheme: dark) { :root { --back: #14181d; --text: #e8ebee; --soft: #a3adb8; --line: #37404a;
  --panel: #1d232a; --good: #6fd08f; --bad: #ff8a80; --note: #f0c060; --curve: #7ab8ff; --band: #7ab8ff33; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1060px; padding: 24px 20px 60px; background: var(--back); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 8px; overflow-wrap: anywhere; }
h2 { font-size: 20px; margin: 36px 0 8px; border-bottom: 1px solid var(--line); }
h3 { font-size: 16px; margin: 22px 0 4px; }
.good { color: var(--good); } .bad { color: var(--bad); }
p, li { overflow-wrap: anywhere; } .soft { color: var(--soft); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 12px 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; font-size: 13px; margin: 8px 0; }
th, td { text-align: left; vertical-align: top; padding: 4px 10px 4px 0; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
code, pre { font: 12px/1.45 ui-monospace, Menlo, Consolas, monospace; }
pre { background: var(--panel); padding: 6px 8px; margin: 4px 0 0; white-space: pre-wrap; overflow-wrap: anywhere; }
details { margin: 4px 0 12px; } summary { cursor: pointer; color: var(--soft); }
section { break-inside: avoid; }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg text { fill: var(--text); } svg text.label { text-anchor: end; }
svg text.tick { text-anchor: middle; fill: var(--soft); font-size: 11px; }
svg .grid { stroke: var(--line); } svg .bound { stroke: var(--text); stroke-width: 1.5; stroke-dasharray: 4 3; }
svg .passes { fill: var(--good); } svg .info { fill: none; stroke: var(--note); stroke-width: 1.6; }
svg .fails, svg .crashed { fill: none; stroke: var(--bad); stroke-width: 2.4; }
svg .band { fill: var(--band); stroke: none; }
svg .wanted { fill: none; stroke: var(--text); stroke-width: 1.5; stroke-dasharray: 6 4; }
svg polyline.losses { fill: none; stroke: var(--curve); stroke-width: 2; } svg circle.losses { fill: var(--curve); }
@media print { body { max-width: none; padding: 0; } summary { display: none; }
  :root { --back: #fff; --text: #000; --soft: #444; --line: #bbb; --panel: #fff; --good: #17703a; --bad: #b3261e;
    --note: #7a5200; --curve: #0b5fb0; --band: #0b5fb022; } }
"""
