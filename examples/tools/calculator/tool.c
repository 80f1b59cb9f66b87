/* Four operations on numbers: the tool of examples/calculator. */

static void put_digits(const char *digits, int from, int to) {
  for (int i = from; i < to; i++) put_bytes(i < 15 ? digits + i : "0", 1);
}

/* Puts a number in the form of JSON, with at most 15 significant digits. */
static void put_number(double n) {
  char digits[15];
  int point = 15, count = 15; /* digits before the decimal point; digits to print */
  if (n - n != 0) { fail("the result is too large"); return; }
  if (n < 0) { put("-"); n = -n; }
  if (n == 0) { put("0"); return; }
  while (n >= 1e15) n /= 10, point++;
  while (n < 1e14) n *= 10, point--;
  u64 whole = (u64)(n + 0.5);
  if (whole >= 1000000000000000) whole /= 10, point++;
  for (int i = 14; i >= 0; whole /= 10) digits[i--] = (char)('0' + whole % 10);
  while (count > 1 && digits[count - 1] == '0') count--;
  if (point > 21 || point < -5) { /* 1.5e+30 */
    put_digits(digits, 0, 1);
    if (count > 1) put(".");
    put_digits(digits, 1, count);
    put(point > 0 ? "e+" : "e-");
    int e = point > 0 ? point - 1 : 1 - point, size = e > 99 ? 3 : e > 9 ? 2 : 1;
    char power[3] = {(char)('0' + e / 100), (char)('0' + e / 10 % 10), (char)('0' + e % 10)};
    put_bytes(power + 3 - size, size);
    return;
  }
  if (point <= 0) {
    put("0.");
    for (int i = point; i < 0; i++) put("0");
    put_digits(digits, 0, count);
    return;
  }
  put_digits(digits, 0, point);
  if (count > point) put(".");
  put_digits(digits, point, count);
}

void tool(text name) {
  double a = arg_number("a", 0), b = arg_number("b", 0);
  if (same(name, "add")) return put_number(a + b);
  if (same(name, "subtract")) return put_number(a - b);
  if (same(name, "multiply")) return put_number(a * b);
  if (same(name, "divide")) {
    if (b == 0) return fail("division by zero");
    return put_number(a / b);
  }
  fail("there is no such operation");
}
