/* The tool of examples/pitch-deck, and an example of code as the entry. For every deck
   of the index it calls a worker that evaluates it, and writes a page whose name is the
   company's slug. */
#include "../golemcall.h"
#include "../slug.h"

static text cell(text csv, long *i) {
  long from = *i;
  while (*i < csv.len && csv.at[*i] != ',' && csv.at[*i] != '\n') (*i)++;
  text t = {csv.at + from, *i - from};
  if (*i < csv.len && csv.at[*i] == ',') (*i)++;
  return t;
}

static void publish(void) {
  text csv = golem_call("read_file", (text){"{\"path\":\"/decks/index.csv\"}", 27});
  if (failed(csv)) return fail("the index of the decks cannot be read");
  text done = {"", 0};
  long i = 0, pages = 0;
  while (i < csv.len && csv.at[i++] != '\n') {}
  while (i < csv.len) {
    text file = cell(csv, &i), company = cell(csv, &i), sector = cell(csv, &i), ask = cell(csv, &i);
    while (i < csv.len && csv.at[i++] != '\n') {}
    if (!file.len) continue;
    put("{\"deck\":\"/decks/"), put_text(file), put("\",\"company\":"), put_json(company), put(",\"sector\":"), put_json(sector);
    put(",\"ask\":"), put_json(ask), put(",\"attachments\":[\"/decks/"), put_text(file), put("\"]}");
    text judged = golem_call("evaluator", taken());
    put("# "), put_text(company), put("\n\nAsks for "), put_text(ask), put(".\n\n");
    if (failed(judged)) put("It was not evaluated.\n");
    else put("Total "), put_text(field_of(judged, "total")), put(" of 25: "), put_text(field_of(judged, "recommendation")), put(".\n");
    text page = taken();
    put("/output/"), put_text(slug_of(company)), put(".md");
    text to = taken();
    put("{\"path\":"), put_json(to), put(",\"content\":"), put_json(page), put("}");
    text wrote = golem_call("write_file", taken());
    put_text(done), put(pages ? "," : ""), put_json(failed(wrote) ? (text){"not written", 11} : to);
    done = taken();
    pages++;
  }
  put("{\"pages\":["), put_text(done), put("]}");
}

void tool(text name) {
  if (same(name, "publish")) return publish();
  put_text(slug_of(arg_text("name")));
}
