/* JSON: reads a document of about 60 KB into nodes and writes it again, 100 times. */
typedef struct node node;
struct node {
  char kind; /* { [ " and 0 for a number or a word */
  const char *text;
  int len;
  node *first, *next;
};

static char document[80000], written[80000];
static node nodes[20000];
static int used, at, out;

static int put(const char *s) {
  int n = 0;
  for (; s[n]; n++) document[at++] = s[n];
  return n;
}

static void make(void) {
  at = 0;
  put("[");
  for (int i = 0; i < 700; i++) {
    if (i) put(",");
    put("{\"id\": ");
    char digits[4] = {(char)('1' + i / 100), (char)('0' + i / 10 % 10), (char)('0' + i % 10), 0};
    put(digits);
    put(", \"name\": \"worker \\\"number\\\" one\", \"tags\": [\"a\", \"b\", true, null], \"x\": 1.5e3}");
  }
  put("]");
  document[at] = 0;
}

static void space(void) {
  while (document[at] == ' ' || document[at] == '\n') at++;
}

static node *read(void) {
  space();
  node *n = &nodes[used++];
  char c = document[at];
  *n = (node){0, document + at, 0, 0, 0};
  if (c == '"') {
    n->kind = c;
    for (at++; document[at] != '"'; at++)
      if (document[at] == '\\') at++;
    at++;
  } else if (c == '[' || c == '{') {
    node **tail = &n->first;
    n->kind = c;
    at++;
    for (space(); document[at] != ']' && document[at] != '}'; space()) {
      *tail = read();
      tail = &(*tail)->next;
      space();
      if (document[at] == ',' || document[at] == ':') at++;
    }
    at++;
  } else {
    while (document[at] && document[at] != ',' && document[at] != ']' && document[at] != '}' && document[at] != ' ') at++;
  }
  n->len = (int)(document + at - n->text);
  return n;
}

static void write(const node *n) {
  if (n->kind != '[' && n->kind != '{') {
    for (int i = 0; i < n->len; i++) written[out++] = n->text[i];
    return;
  }
  written[out++] = n->kind;
  int i = 0;
  for (const node *c = n->first; c; c = c->next, i++) {
    if (i) written[out++] = n->kind == '{' && i % 2 ? ':' : ',';
    write(c);
  }
  written[out++] = n->kind == '[' ? ']' : '}';
}

__attribute__((export_name("run"))) int run(void) {
  int last = 0;
  make();
  for (int round = 0; round < 100; round++) {
    at = used = out = 0;
    write(read());
    if (round && out != last) return 1;
    last = out;
  }
  return last < 50000;
}
