/* Four operations on numbers: the tool of examples/calculator. */

/* A number as people write it: six digits after the point at most. */
static void put_number(double n) {
  if (n != n) { fail("the result is no number"); return; }
  if (n < 0) { put("-"); n = -n; }
  if (n >= 1e15) { fail("the result is too large"); return; }
  u64 big = (u64)n;
  double rest = (n - (double)big) * 1e6 + 0.5;
  u64 six = (u64)rest;
  if (six >= 1000000) { six -= 1000000; big++; }
  char digits[24];
  int i = 24;
  do digits[--i] = (char)('0' + big % 10); while (big /= 10);
  put_bytes(digits + i, 24 - i);
  if (!six) return;
  char point[8] = ".000000";
  for (int k = 6; k > 0; k--) { point[k] = (char)('0' + six % 10); six /= 10; }
  int n2 = 7;
  while (point[n2 - 1] == '0') n2--;
  put_bytes(point, n2);
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
