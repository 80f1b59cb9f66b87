/* Returns the slug of a name: the tool of examples/slugify. */
#include "../slug.h"

void tool(text name) {
  (void)name;
  put("{\"slug\":"), put_json(slug_of(arg_text("name"))), put("}");
}
