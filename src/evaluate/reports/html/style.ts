/** The style sheet of a report, without external fonts or images. */
export const STYLE = `
:root { color-scheme: light dark;
  --paper: #ffffff; --ink: #1b1d21; --soft: #59606b; --faint: #8d95a1; --rule: #dfe3e8; --wash: #f5f6f8;
  --accent: #1f5aa8; --band: #1f5aa826; --other: #b3541e; --third: #5f7f4f; --key: #8a2f6b; --str: #2f6b3f; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #14161a; --ink: #e4e7eb; --soft: #a3abb6; --faint: #737c88; --rule: #2b3037; --wash: #1b1e23;
  --accent: #79aef5; --band: #79aef52e; --other: #efa36c; --third: #a6c494; --key: #e293c4; --str: #93cfa2; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; padding: 3.2rem 1.5rem 5rem; max-width: 58rem; background: var(--paper); color: var(--ink);
  font: 1.02rem/1.58 Charter, "Bitstream Charter", "Sitka Text", Cambria, Georgia, serif; }
h1 { margin: 0 0 .3rem; font-size: 2.05rem; line-height: 1.18; font-weight: 600; letter-spacing: -.012em; text-wrap: balance; }
h2 { margin: 3.4rem 0 .5rem; font-size: 1.32rem; line-height: 1.3; font-weight: 600; }
h3 { margin: 0; font: 600 .95rem/1.4 var(--sans); overflow-wrap: anywhere; }
p { margin: .4rem 0 1rem; max-width: 42rem; }
a { color: var(--accent); }
:root { --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif;
  --mono: ui-monospace, SFMono-Regular, "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.kind { margin: 0 0 .5rem; font: 600 .75rem/1.4 var(--sans); letter-spacing: .09em; text-transform: uppercase; color: var(--accent); }
.lead { color: var(--soft); font-size: 1.06rem; }
.keys { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: 0; margin: 2rem 0 0; padding: 0;
  border-block: 1px solid var(--rule); list-style: none; font-family: var(--sans); }
.keys li { padding: 1rem 1.1rem 1.05rem 0; }
.keys b { display: block; font-size: 1.95rem; line-height: 1.15; font-weight: 600; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
.keys span { display: block; font-size: .84rem; color: var(--soft); font-variant-numeric: tabular-nums; }
figure { margin: 1.1rem 0 0; font-family: var(--sans); break-inside: avoid; }
figcaption { margin-top: .8rem; font: .93rem/1.5 Charter, "Bitstream Charter", "Sitka Text", Cambria, Georgia, serif; color: var(--soft); max-width: 46rem; }
figcaption b { color: var(--ink); font-weight: 600; }
.scroll { overflow-x: auto; }
svg { display: block; overflow: visible; font-family: var(--sans); }
svg text { fill: var(--soft); font-size: 12px; font-variant-numeric: tabular-nums; }
.grid { stroke: var(--rule); stroke-width: 1; }
.range { stroke: var(--accent); stroke-width: 2; stroke-linecap: round; }
.dot { fill: var(--accent); }
.quiet .range { stroke: var(--faint); } .quiet .dot { fill: var(--faint); }
.hollow .range { stroke-width: 1.2; } .hollow .dot { fill: var(--paper); stroke: var(--accent); stroke-width: 1.6; } .quiet.hollow .dot { stroke: var(--faint); }
.ceiling { stroke: var(--ink); stroke-width: 1.5; }
.published { fill: var(--paper); stroke: var(--other); stroke-width: 1.6; }
.baseline { fill: var(--paper); stroke: var(--faint); stroke-width: 1.6; }
.band { fill: var(--band); }
.line { fill: none; stroke: var(--accent); stroke-width: 2.2; stroke-linejoin: round; }
.line.other { stroke: var(--other); stroke-width: 1.5; stroke-dasharray: 5 3; }
.line.third { stroke: var(--third); stroke-width: 1.5; stroke-dasharray: 1.5 3; stroke-linecap: round; }
.line.fourth { stroke: var(--key); stroke-width: 1.5; stroke-dasharray: 7 2 1.5 2; }
svg text.first { fill: var(--accent); font-weight: 600; } svg text.other { fill: var(--other); } svg text.third { fill: var(--third); } svg text.fourth { fill: var(--key); }
.plot svg text { font-size: .76rem; }
.bar { fill: var(--faint); opacity: .55; }
.plot { width: 100%; border-collapse: collapse; font-size: .86rem; }
.plot th, .plot td { padding: 0; text-align: left; font-weight: 400; white-space: nowrap; font-variant-numeric: tabular-nums; vertical-align: middle; }
.plot thead th { padding-bottom: .25rem; font-size: .78rem; color: var(--soft); }
.plot tbody th { padding-right: 1.1rem; }
.plot tbody th small { color: var(--soft); font-size: .78rem; }
.plot td.wide { width: 99%; }
.plot td.num { padding-left: 1.1rem; text-align: right; } .plot th.num { padding-left: 1.1rem; text-align: right; }
.plot td.soft { color: var(--soft); }
.plot tbody tr:hover { background: var(--wash); }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.4rem; margin: .7rem 0 0; font-size: .8rem; color: var(--soft); }
.legend svg { display: inline-block; vertical-align: -3px; margin-right: .4rem; }
.heat { border-collapse: separate; border-spacing: 2px; font-size: .84rem; }
.heat th { font-weight: 400; text-align: left; padding: .2rem .9rem .2rem 0; white-space: nowrap; }
.heat thead th { padding: 0 .3rem .3rem; text-align: center; vertical-align: bottom; font-size: .78rem; line-height: 1.25; color: var(--soft); white-space: normal; width: 5.3rem; }
.heat td { min-width: 4.1rem; height: 2.5rem; text-align: center; font-variant-numeric: tabular-nums; border-radius: 2px; }
.heat td.none { color: var(--faint); background: var(--wash); }
.heat th small { display: block; color: var(--soft); font-size: .76rem; }
.multiples { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(11rem, 40vw), 1fr)); gap: 1.1rem 1.4rem; }
.multiples svg text { font-size: 9px; } .multiples p { margin: 0 0 .3rem; font-size: .84rem; } .multiples small { color: var(--soft); font-size: .78rem; font-variant-numeric: tabular-nums; }
.multiples.large { grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); } .multiples.large svg text { font-size: 5px; } .large .grid, .large .diagonal { vector-effect: non-scaling-stroke; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(23rem, 100%), 1fr)); gap: 0 2.6rem; }
.bubble { fill: var(--accent); fill-opacity: .75; stroke: var(--paper); stroke-width: .8; } .diagonal { stroke: var(--faint); stroke-dasharray: 3 3; }
h3.apart { margin: 1.6rem 0 .4rem; }
.worst { margin: 0 0 .9rem; border: 1px solid var(--rule); border-radius: 6px; font-family: var(--sans); break-inside: avoid-page; }
.worst > summary { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .1rem 1.2rem; padding: .7rem 1rem; cursor: pointer; list-style: none; }
.worst summary::-webkit-details-marker { display: none; }
.worst > summary h3::before { content: "▸"; display: inline-block; width: 1.05rem; color: var(--faint); }
.worst[open] > summary h3::before { content: "▾"; }
.worst > summary span { font-size: .82rem; color: var(--soft); font-variant-numeric: tabular-nums; }
.sides { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(0, 1fr); border-top: 1px solid var(--rule); }
.sides > div { padding: .7rem .9rem .9rem; min-width: 0; } .sides > div + div { border-left: 1px solid var(--rule); }
.sides h4 { margin: 0 0 .5rem; font-size: .76rem; font-weight: 600; color: var(--soft); }
#worst .worst { width: min(88rem, 100vw - 3rem); margin-left: calc(50% - min(44rem, 50vw - 1.5rem)); }
.sides > div:first-child > pre { position: sticky; top: .8rem; }
.hit { margin: 0 0 .7rem; } .hit:last-child { margin: 0; }
.hit p, .hit summary { display: flex; align-items: center; gap: .45rem; margin: 0 0 .25rem; font-size: .78rem; line-height: 1.3; color: var(--soft); max-width: none; }
.hit summary { cursor: pointer; list-style: none; } .hit summary::after { content: "▸"; color: var(--faint); } .hit[open] summary::after { content: "▾"; }
.hit p span:last-child { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.rating { flex: none; width: 1.25rem; height: 1.25rem; border-radius: 50%; text-align: center; font-size: .74rem; line-height: 1.25rem; font-weight: 600; background: var(--accent); color: var(--paper); }
.rating.miss { background: none; box-shadow: inset 0 0 0 1px var(--faint); color: var(--soft); }
pre { margin: 0; padding: .55rem .7rem; max-height: 17rem; overflow: auto; background: var(--wash); border-radius: 4px; font: .755rem/1.5 var(--mono); tab-size: 4; }
pre .k { color: var(--key); } pre .s { color: var(--str); } pre .c { color: var(--faint); font-style: italic; } pre .n { color: var(--accent); }
pre.absent { color: var(--faint); font-family: var(--sans); }
.facts { width: 100%; border-collapse: collapse; font: .84rem/1.45 var(--sans); }
.facts th, .facts td { padding: .28rem 1rem .28rem 0; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; font-weight: 400; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.facts th { width: 38%; color: var(--soft); }
.more { margin-top: .8rem; font: .86rem/1.5 var(--sans); } .more summary { cursor: pointer; color: var(--accent); }
@media screen and (max-width: 46rem) { body { padding: 1.8rem 1rem 3rem; } h1 { font-size: 1.6rem; } .sides { grid-auto-flow: row; } #worst .worst { width: auto; margin-left: 0; }
  .sides > div:first-child > pre { position: static; }
  .sides > div + div { border-left: 0; border-top: 1px solid var(--rule); } .plot td.soft, .plot th.soft { display: none; }
  .plot tbody th small { display: block; } .keys { grid-template-columns: repeat(2, 1fr); } }
@media print { :root { --paper: #fff; --ink: #000; --soft: #444; --faint: #777; --rule: #ccc; --wash: #f6f6f6; --accent: #1f5aa8; --band: #1f5aa826; --other: #b3541e; --third: #5f7f4f; }
  @page { margin: 18mm 16mm; } html { font-size: 11.5px; } body { padding: 0; max-width: none; }
  .scroll { overflow: visible; } .scroll svg { min-width: 0 !important; } .heat td { min-width: 2.6rem; } .heat thead th { width: auto; } h2 { margin-top: 2rem; break-after: avoid; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } pre { max-height: none; white-space: pre-wrap; } #worst .worst { width: auto; margin-left: 0; } .worst:not([open]) { display: none; } }
`;
