/* Parsing: tokens of a small language, an expression tree by precedence, and
   its value, 400 times over a source of about 12 KB. */
static char source[16000];
static int at, calls;

static void put(const char *s) {
  while (*s) source[at++] = *s++;
}

static void make(void) {
  at = 0;
  for (int i = 0; i < 300; i++) {
    put("let total = (12 + 7 * 3) - (40 / (2 + 2)) * 1;\n");
    if (at > 12000) break;
  }
  source[at] = 0;
}

enum { END, NUMBER, NAME, LET, SIGN };
typedef struct {
  int kind, number;
  const char *text;
  int len;
} token;
static token now;

static int letter(char c) { return c >= 'a' && c <= 'z'; }
static int digit(char c) { return c >= '0' && c <= '9'; }

static void next(void) {
  while (source[at] == ' ' || source[at] == '\n') at++;
  now = (token){SIGN, 0, source + at, 1};
  char c = source[at];
  if (!c) {
    now.kind = END;
  } else if (digit(c)) {
    now.kind = NUMBER;
    while (digit(source[at])) now.number = now.number * 10 + source[at++] - '0';
  } else if (letter(c)) {
    now.kind = NAME;
    while (letter(source[at])) at++;
    now.len = (int)(source + at - now.text);
    if (now.len == 3 && now.text[0] == 'l' && now.text[1] == 'e' && now.text[2] == 't') now.kind = LET;
  } else {
    at++;
  }
}

static int weight(void) {
  if (now.kind != SIGN) return 0;
  switch (*now.text) {
  case '+': case '-': return 1;
  case '*': case '/': return 2;
  }
  return 0;
}

static int expression(int above);

static int value(void) {
  calls++;
  if (now.kind == NUMBER) {
    int n = now.number;
    next();
    return n;
  }
  next(); /* ( */
  int n = expression(0);
  next(); /* ) */
  return n;
}

static int expression(int above) {
  int left = value();
  for (int w = weight(); w > above; w = weight()) {
    char sign = *now.text;
    next();
    int right = expression(w);
    left = sign == '+' ? left + right : sign == '-' ? left - right : sign == '*' ? left * right : right ? left / right : 0;
  }
  return left;
}

__attribute__((export_name("run"))) int run(void) {
  int sum = 0, lines = 0;
  make();
  for (int round = 0; round < 400; round++) {
    at = 0;
    for (next(); now.kind == LET; next()) {
      next(); /* name */
      next(); /* = */
      next();
      sum += expression(0) == 23;
      lines++;
    }
  }
  return sum != lines || lines < 400 * 200;
}
