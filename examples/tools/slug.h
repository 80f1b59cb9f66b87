/* Returns the slug of a text: ASCII letters in lower case and digits; each run of other
   bytes becomes one hyphen, and none stays at the ends. */
static text slug_of(text t) {
  char *to = take(t.len + 1);
  long n = 0;
  for (long i = 0; i < t.len; i++) {
    char c = t.at[i];
    if (c >= 'A' && c <= 'Z') c = (char)(c + 32);
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) to[n++] = c;
    else if (n > 0 && to[n - 1] != '-') to[n++] = '-';
  }
  while (n > 0 && to[n - 1] == '-') n--;
  return (text){to, n};
}
