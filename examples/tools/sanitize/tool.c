/* Returns the new path of a file, with a name that is valid on every system: the tool of
   examples/file-organizer. */
#include "../slug.h"

void tool(text name) {
  (void)name;
  text path = arg_text("path"), folder = arg_text("folder");
  long slash = -1, dot = -1;
  for (long i = 0; i < path.len; i++) {
    if (path.at[i] == '/') slash = i, dot = -1;
    if (path.at[i] == '.') dot = i;
  }
  if (dot <= slash + 1) dot = path.len;
  text stem = slug_of((text){path.at + slash + 1, dot - slash - 1});
  text kind = slug_of((text){path.at + dot, path.len - dot});
  put("{\"from\":"), put_json(path), put(",\"to\":");
  put("\""), put_text(folder), put("/");
  if (stem.len) put_text(stem);
  else put("unnamed");
  if (kind.len) put("."), put_text(kind);
  put("\"}");
}
