/* page.c -- the page: its head, styles and script, and the order of its sections. */
#include "host/report/report_parts.h"

#include "host/base/fail.h"

#include <string.h>

/* Colours of curves are those of Okabe and Ito (2008), which people with colour-blindness distinguish; darker or
 * lighter where the background needs it. */
static const char style[] =
    ":root{--bg:#fff;--fg:#1b1f24;--dim:#5a6470;--line:#d4d9df;--soft:#f4f6f8;--accent:#0b5cad;--good:#1a7f37;"
    "--bad:#b3261e;--warn:#9a5b00;--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#b8589a;--c4:#b07d00;--c5:#3a9bd9;"
    "--c6:#6b4fa0;--c7:#333;color-scheme:light dark}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#14181d;--fg:#e4e8ec;--dim:#9aa5b1;--line:#363e47;--soft:#1d232a;"
    "--accent:#6cb2f7;--good:#57c77a;--bad:#ff8a80;--warn:#e5b04b;--c0:#56b4e9;--c1:#ff8c42;--c2:#2fc79b;--c3:#e08cc4;"
    "--c4:#f0c94a;--c5:#9ad1f5;--c6:#b39ae8;--c7:#ddd}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1.5rem 1.25rem 4rem;max-width:70rem;background:var(--bg);color:var(--fg);"
    "font:15px/1.5 system-ui,-apple-system,\"Segoe UI\",\"DejaVu Sans\",Arial,sans-serif}\n"
    "h1{font-size:1.75rem;line-height:1.25;margin:0 0 .25rem;overflow-wrap:anywhere}\n"
    "h2{font-size:1.2rem;margin:2.25rem 0 .75rem;padding-bottom:.3rem;border-bottom:1px solid var(--line)}\n"
    "h3{font-size:1rem;margin:1.25rem 0 .4rem}\n"
    "p{margin:.4rem 0;max-width:48rem}a{color:var(--accent)}\n"
    ".lead{color:var(--dim);margin-bottom:1rem}\n"
    ".state{display:inline-block;padding:.1rem .55rem;border:1px solid;border-radius:1rem;font-weight:600}\n"
    ".good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}\n"
    ".missing{color:var(--dim);border-left:3px solid var(--line);padding-left:.7rem}\n"
    "nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1rem;list-style:none;padding:0;margin:1rem 0}\n"
    ".wide{overflow-x:auto}\n"
    "table{border-collapse:collapse;margin:.5rem 0;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.28rem .7rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}\n"
    "thead th{background:var(--soft);font-weight:600;vertical-align:bottom}\n"
    "tbody th{font-weight:500}.facts th{color:var(--dim);min-width:7rem;overflow-wrap:anywhere}"
    ".facts td{overflow-wrap:anywhere}\n"
    "td.n,th.n{text-align:right;white-space:nowrap}\n"
    "thead button{font:inherit;font-weight:600;color:inherit;background:none;border:0;padding:0;cursor:pointer;"
    "text-align:inherit}\n"
    "th[aria-sort=ascending] button::after{content:\" \\2191\"}th[aria-sort=descending] button::after{content:\" "
    "\\2193\"}\n"
    "code,pre,.hash{font:13px/1.45 ui-monospace,\"DejaVu Sans Mono\",Menlo,Consolas,monospace}\n"
    ".hash{overflow-wrap:anywhere}\n"
    "pre{background:var(--soft);padding:.8rem;overflow:auto;max-height:34rem;border-radius:4px;white-space:pre-wrap;"
    "overflow-wrap:anywhere}\n"
    "summary{cursor:pointer;color:var(--accent)}\n"
    ".figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(27rem,100%),1fr));gap:1rem}\n"
    "figure{margin:0;min-width:0}figcaption{color:var(--dim);font-size:.92em;margin-top:.2rem}\n"
    "figure img,figure video{display:block;width:100%;height:auto;border:1px solid var(--line);border-radius:4px;"
    "background:#fff}\n"
    "figure svg{display:block;width:100%;height:auto}.plot{max-width:38rem}\n"
    "svg text{fill:var(--fg);font-size:12px}svg .name{fill:var(--dim)}\n"
    "svg .axis{fill:none;stroke:var(--dim)}svg .grid{stroke:var(--line)}\n"
    "svg .line{fill:none;stroke:var(--c);stroke-width:1.8;stroke-linejoin:round}svg .dash{stroke-dasharray:5 3}\n"
    "svg .dot{fill:var(--c)}svg .bar{fill:var(--c0)}\n"
    ".c0{--c:var(--c0)}.c1{--c:var(--c1)}.c2{--c:var(--c2)}.c3{--c:var(--c3)}.c4{--c:var(--c4)}.c5{--c:var(--c5)}"
    ".c6{--c:var(--c6)}.c7{--c:var(--c7)}\n"
    ".legend{display:flex;flex-wrap:wrap;gap:.1rem 1rem;list-style:none;padding:0;margin:.2rem 0;font-size:.92em}\n"
    "figure svg.key{display:inline-block;width:22px;height:10px;vertical-align:middle}\n"
    "svg .member{fill:none;stroke-width:1.4;stroke-opacity:.75;stroke:var(--m)}\n"
    "svg .member:hover{stroke-width:4;stroke-opacity:1}svg .off{stroke-opacity:.06}\n"
    "svg .brush{fill:transparent;cursor:crosshair}svg .span{fill:var(--fg);fill-opacity:.14;pointer-events:none}\n"
    ".m0{--m:#3b4cc0}.m1{--m:#6788ee}.m2{--m:#9abbff}.m3{--m:#a0a0a8}.m4{--m:#f7a889}.m5{--m:#e26952}.m6{--m:#b40426}\n"
    "tr.off{display:none}\n"
    "@media print{:root{--bg:#fff;--fg:#000;--dim:#444;--line:#bbb;--soft:#f4f4f4}body{max-width:none;padding:0;"
    "font-size:10pt}nav,summary,.script{display:none}pre{max-height:none}section,figure,tr{break-inside:avoid}"
    "section{break-inside:auto}h2,h3{break-after:avoid}.wide{overflow:visible}}\n";

/* Without it the page has all it says; with it tables are sorted by their headings, and members chosen along axes. */
static const char script[] =
    "'use strict';\n"
    "for (const table of document.querySelectorAll('table.sortable')) {\n"
    "  table.tHead.querySelectorAll('th').forEach((head, column) => {\n"
    "    const button = document.createElement('button');\n"
    "    button.type = 'button';\n"
    "    button.append(...head.childNodes);\n"
    "    head.append(button);\n"
    "    button.onclick = () => {\n"
    "      const down = head.getAttribute('aria-sort') === 'ascending', body = table.tBodies[0];\n"
    "      const key = row => row.cells[column].dataset.v ?? row.cells[column].textContent;\n"
    "      const order = (a, b) => a === b ? 0 : a === '' ? 1 : b === '' ? -1 :\n"
    "        (isNaN(a) || isNaN(b) ? (a < b ? -1 : 1) : a - b) * (down ? -1 : 1);\n"
    "      const rows = [...body.rows].sort((a, b) => order(key(a), key(b)));\n"
    "      for (const other of table.tHead.querySelectorAll('th')) other.removeAttribute('aria-sort');\n"
    "      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');\n"
    "      body.append(...rows);\n"
    "    };\n"
    "  });\n"
    "}\n"
    "for (const plot of document.querySelectorAll('svg.parallel')) {\n"
    "  const lines = [...plot.querySelectorAll('.member')], spans = {}, count = document.getElementById('chosen');\n"
    "  const top = +plot.dataset.top, height = +plot.dataset.height;\n"
    "  let from = null;\n"
    "  const at = e => {\n"
    "    const p = new DOMPoint(e.clientX, e.clientY).matrixTransform(plot.getScreenCTM().inverse());\n"
    "    return Math.min(1, Math.max(0, (top + height - p.y) / height));\n"
    "  };\n"
    "  const show = () => {\n"
    "    let n = 0;\n"
    "    for (const line of lines) {\n"
    "      const v = line.dataset.v.split(' ');\n"
    "      const on = Object.entries(spans).every(([a, s]) => v[a] !== '-' && v[a] >= s[0] && v[a] <= s[1]);\n"
    "      line.classList.toggle('off', !on);\n"
    "      document.getElementById('member' + line.dataset.n)?.classList.toggle('off', !on);\n"
    "      n += on;\n"
    "    }\n"
    "    for (const span of plot.querySelectorAll('.span')) {\n"
    "      const s = spans[span.dataset.a] ?? [0, 0];\n"
    "      span.setAttribute('y', top + height * (1 - s[1]));\n"
    "      span.setAttribute('height', height * (s[1] - s[0]));\n"
    "    }\n"
    "    count.textContent = n + ' of ' + lines.length + ' members chosen';\n"
    "  };\n"
    "  for (const area of plot.querySelectorAll('.brush')) {\n"
    "    area.onpointerdown = e => { area.setPointerCapture(e.pointerId); from = at(e); };\n"
    "    area.onpointerup = e => {\n"
    "      if (from === null) return;\n"
    "      const to = at(e), a = area.dataset.a;\n"
    "      if (Math.abs(to - from) < 0.02) delete spans[a];\n"
    "      else spans[a] = [Math.min(from, to), Math.max(from, to)];\n"
    "      from = null;\n"
    "      show();\n"
    "    };\n"
    "  }\n"
    "  show();\n"
    "}\n";

static void write_head(FILE *to, const pio_report *r)
{
    fputs("<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"generator\" content=\"piola report\">\n<meta http-equiv=\"Content-Security-Policy\" "
          "content=\"default-src 'none'; img-src data:; media-src data:; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          to);
    pio_html_format(to, "%s: report of piola %s", pio_report_name(r), pio_report_command(r));
    fputs("</title>\n<style>\n", to);
    fputs(style, to);
    fputs("</style>\n</head>\n<body>\n<main>\n", to);
}

piola_status pio_report_write(const pio_report *r, const char *own, FILE *to, piola_error *error)
{
    pio_pool pool = {0}; /* of what the sections draw */
    write_head(to, r);
    pio_section_summary(to, r);
    if (r->sweep) pio_section_sweep(to, r, &pool);
    if (pio_report_study(r)) {
        pio_section_study(to, r, own != NULL);
        pio_section_pictures(to, r);
        pio_section_study_history(to, r);
        if (pio_report_get(r->result, "parameters")) pio_section_parameters(to, r);
        pio_section_squares(to, r);
    } else if (!r->sweep) {
        pio_section_starts(to, r, own != NULL);
        pio_section_pictures(to, r);
        pio_section_iterations(to, r);
        pio_section_objective(to, r);
        pio_section_parameters(to, r);
        pio_section_squares(to, r);
        pio_section_observations(to, r, &pool);
        pio_section_gradient(to, r, &pool);
        pio_section_memory(to, r);
        pio_section_scene(to, r);
    }
    piola_status rc = pio_section_files(to, r, own, error);
    fputs("</main>\n<script>\n", to);
    fputs(script, to);
    fputs("</script>\n</body>\n</html>\n", to);
    if (!rc && pool.refused) rc = pio_fail_memory(error, pool.refused, "a curve of the report");
    pio_pool_free(&pool);
    if (!rc && (fflush(to) || ferror(to))) return pio_fail_memory(error, 1 << 20, "a report");
    return rc;
}
