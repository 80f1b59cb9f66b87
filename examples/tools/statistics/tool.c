/* The tool of examples/data-report. Code computes the sums over a file of sales, and a
   worker writes a remark about them. The tool may read the file and call the worker
   only if the worker that called it may. */
#include "../golemcall.h"

typedef struct { text month; long units; double revenue; } row;

/* Returns the field of a CSV line at *i, and moves *i to the next field. */
static text cell(text csv, long *i) {
  long from = *i;
  while (*i < csv.len && csv.at[*i] != ',' && csv.at[*i] != '\n') (*i)++;
  text t = {csv.at + from, *i - from};
  if (*i < csv.len && csv.at[*i] == ',') (*i)++;
  return t;
}

static double number(text t) {
  double n = 0, scale = 0;
  int minus = t.len > 0 && t.at[0] == '-';
  for (long i = minus; i < t.len; i++) {
    if (t.at[i] == '.') scale = 1;
    if (t.at[i] < '0' || t.at[i] > '9') continue;
    n = n * 10 + (t.at[i] - '0');
    if (scale) scale *= 10;
  }
  if (scale) n /= scale;
  return minus ? -n : n;
}

static void put_whole(double n) { put_int((long)(n < 0 ? n - 0.5 : n + 0.5)); }

void tool(text name) {
  (void)name;
  text file = arg_text("file");
  put("{\"path\":"), put_json(file), put("}");
  text csv = golem_call("read_file", taken());
  if (failed(csv)) {
    put_text(field_of(field_of(csv, "error"), "message")), put("");
    char *why = take(result_len + 1);
    for (long i = 0; i < result_len; i++) why[i] = result[i];
    why[result_len] = 0;
    return fail(why);
  }
  long i = 0, rows = 0;
  while (i < csv.len && csv.at[i++] != '\n') {}
  text first = {"", 0}, last = {"", 0}, best = {"", 0}, region = {"", 0}, odd = {"", 0};
  double revenue = 0, most = 0;
  while (i < csv.len) {
    text month = cell(csv, &i);
    text where = cell(csv, &i);
    double units = number(cell(csv, &i)), sold = number(cell(csv, &i));
    while (i < csv.len && csv.at[i++] != '\n') {}
    if (!month.len) continue;
    if (!rows) first = month, region = where;
    if (!rows || sold > most) most = sold, best = month;
    if (units < 0 || sold < 0) odd = month;
    last = month, revenue += sold, rows++;
  }
  put("{\"file\":"), put_json(file), put(",\"rows\":"), put_int(rows);
  put(",\"first\":"), put_json(first), put(",\"last\":"), put_json(last), put(",\"negative\":"), put_json(odd), put("}");
  text said = golem_call("commentator", taken());
  put("{\"best_month\":"), put_json(best), put(",\"file\":"), put_json(file), put(",\"period\":\"");
  put_text(first), put(" – "), put_text(last), put("\",\"region\":"), put_json(region), put(",\"remarks\":[");
  put_json(failed(said) ? (text){"no remark: the commentator failed", 33} : said);
  put("],\"revenue\":"), put_whole(revenue), put(",\"rows\":"), put_int(rows), put("}");
}
