// SPDX-License-Identifier: Apache-2.0
#include "reports/page.h"

namespace plumb::reports {

// Two palettes with the same names; pictures take their colours from them through classes.
std::string_view page_style() {
  return R"css(
:root{color-scheme:light dark;--paper:#fbfaf7;--card:#fff;--ink:#1d2126;--soft:#676d75;--line:#e2dfd7;
--good:#2f7d62;--good-soft:#e0efe8;--bad:#c0392b;--bad-soft:#fbe6e2;--odd:#b7791f;--odd-soft:#faeed6;
--none:#8b9098;--none-soft:#efeeea;--loose:#3b6fb6;--outside:#c0392b12;--limit:#c0392b}
@media (prefers-color-scheme:dark){:root{--paper:#14171a;--card:#1b1f24;--ink:#e4e6e8;--soft:#9aa1a9;
--line:#2e343b;--good:#58b894;--good-soft:#1c3229;--bad:#f07a6b;--bad-soft:#3d211f;--odd:#e0ac55;
--odd-soft:#38301c;--none:#7b828a;--none-soft:#252a30;--loose:#7eaae6;--outside:#f07a6b1a;--limit:#f07a6b}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,
"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums}
main{max-width:1180px;margin:0 auto;padding:36px 28px 80px}
h1{font-size:30px;line-height:1.2;letter-spacing:-.015em;font-weight:650;margin:6px 0 4px}
h2{font-size:18px;font-weight:650;letter-spacing:-.005em;margin:44px 0 12px}
h3{font-size:14px;font-weight:600;margin:22px 0 8px}
p{margin:6px 0}.soft{color:var(--soft)}
code,.mono,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.88em}
.brand{font-size:12px;letter-spacing:.14em;text-transform:uppercase;color:var(--soft)}
.meta{color:var(--soft);font-size:13px;display:flex;flex-wrap:wrap;gap:2px 18px}
.stack{display:flex;height:12px;border-radius:6px;overflow:hidden;margin:20px 0 8px;background:var(--none-soft)}
.stack span{min-width:3px;box-shadow:inset -1px 0 var(--paper)}
.legend{display:flex;flex-wrap:wrap;gap:4px 18px;font-size:13px}.legend b{font-weight:600}
.b-pass{background:var(--good)}.b-fail,.b-crashed,.b-timed_out{background:var(--bad)}
.b-crashed{filter:brightness(.75)}.b-timed_out{filter:brightness(.6)}
.b-vacuous,.b-untested{background:var(--odd)}.b-untested{filter:brightness(.8)}
.b-unsupported,.b-skipped{background:var(--none)}.b-skipped{opacity:.5}
.c-pass{color:var(--good)}.c-fail,.c-crashed,.c-timed_out{color:var(--bad)}
.c-vacuous,.c-untested{color:var(--odd)}.c-unsupported,.c-skipped{color:var(--none)}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:16px 20px;margin:14px 0}
.card.fail{border-left:4px solid var(--bad)}.card.warn{border-left:4px solid var(--odd)}
.card .what{font-size:17px;font-weight:600;overflow-wrap:anywhere}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(160px,1fr));gap:10px 22px;margin:12px 0}
.facts div{min-width:0}.facts dt,.facts span{display:block;color:var(--soft);font-size:12px}
.facts b{font-weight:600;overflow-wrap:anywhere}
pre{background:var(--none-soft);border-radius:6px;padding:8px 12px;margin:8px 0 2px;overflow-x:auto;
white-space:pre-wrap;overflow-wrap:anywhere}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:13.5px;width:100%}
th{font-weight:500;color:var(--soft);text-align:left;font-size:12px;padding:6px 10px;border-bottom:1px solid var(--line);
vertical-align:bottom;white-space:nowrap}
td{padding:5px 10px;border-bottom:1px solid var(--line);vertical-align:middle}
td.n,th.n{text-align:right}td.text{overflow-wrap:anywhere}tr:last-child td{border-bottom:0}
.grid td.cell{padding:3px;width:1%}
.cell a{display:block;min-width:30px;text-align:center;border-radius:5px;padding:4px 8px;text-decoration:none;color:inherit;
white-space:nowrap;font-size:12.5px;background:var(--none-soft)}
.cell .pass{background:var(--good-soft)}.cell .fail,.cell .crashed,.cell .timed_out{background:var(--bad-soft)}
.cell .vacuous,.cell .untested{background:var(--odd-soft)}
.cell i{font-style:normal;font-weight:700}.cell small{color:var(--soft)}
.grid a.stage{color:inherit;text-decoration:none;font-weight:550}.grid a.stage:hover{text-decoration:underline}
.grid th.top{max-width:120px;overflow:hidden;text-overflow:ellipsis;text-align:center}
.grid td.name,.grid th:first-child{position:sticky;left:0;background:var(--paper);white-space:nowrap}
details.stage{background:var(--card);border:1px solid var(--line);border-radius:10px;margin:10px 0}
details.stage>summary{cursor:pointer;padding:11px 18px;display:flex;gap:12px;align-items:baseline;list-style:none}
details.stage>summary::-webkit-details-marker{display:none}
details.stage>summary::before{content:"\25b8";color:var(--soft);width:10px}
details.stage[open]>summary::before{content:"\25be"}
details.stage>summary b{font-weight:600}details.stage>summary .soft{font-size:13px;margin-left:auto;text-align:right}
details.stage>div{padding:0 20px 18px 40px}
.formula{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:13px;
margin:8px 0;overflow-wrap:anywhere}
.tag{font-size:11.5px;color:var(--soft);border:1px solid var(--line);border-radius:4px;padding:0 5px;margin-right:4px;
display:inline-block}
.key{font-size:12px;color:var(--soft)}.c-loose{color:var(--loose)}
.badge{font-size:12px;font-weight:650;white-space:nowrap}
.figures{display:flex;flex-wrap:wrap;gap:14px 30px;margin:14px 0 4px}figure{margin:0}
figcaption{font-size:12.5px;font-weight:600;margin-bottom:4px}
svg{display:block;max-width:100%;height:auto}svg text{fill:var(--soft);font-size:10.5px}svg .up{font-size:8px}
svg .cap{font-size:11px}svg .grid{stroke:var(--line);stroke-width:1}svg .axis{stroke:var(--soft);stroke-width:.7}
svg .limit{stroke:var(--limit);stroke-width:1.2;stroke-dasharray:4 3}svg .outside{fill:var(--outside)}
svg circle{fill-opacity:.55;stroke-width:1}svg .good{fill:var(--good);stroke:var(--good)}
svg .loose{fill:var(--loose);stroke:var(--loose)}svg .bad{fill:var(--bad);stroke:var(--bad)}
svg .odd{fill:var(--odd);stroke:var(--odd)}svg .bar{stroke:none;fill-opacity:.8}
svg .tick{stroke-width:1.6;stroke-opacity:.65;fill:none}
dl.build{display:grid;grid-template-columns:max-content 1fr;gap:3px 20px;font-size:13.5px}
dl.build dt{color:var(--soft)}dl.build dd{margin:0;overflow-wrap:anywhere}
@media (max-width:700px){main{padding:20px 14px 60px}details.stage>div{padding-left:18px}}
@media print{body{background:#fff}details.stage{break-inside:avoid}}
)css";
}

}  // namespace plumb::reports
