// An ordinary command with a C library: it counts the lines, words and bytes of
// standard input, or of the file in argv[3], and writes the counts to standard
// output, or to the file in argv[4].
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  FILE *in = stdin, *out = stdout;
  if (argc > 3 && !(in = fopen(argv[3], "r"))) {
    fprintf(stderr, "%s: %s\n", argv[3], strerror(errno));
    return 1;
  }
  if (argc > 4 && !(out = fopen(argv[4], "w"))) {
    fprintf(stderr, "%s: %s\n", argv[4], strerror(errno));
    return 2;
  }
  long lines = 0, words = 0, bytes = 0;
  int c, inside = 0;
  while ((c = getc(in)) != EOF) {
    bytes++;
    lines += c == '\n';
    if (isspace(c)) {
      inside = 0;
    } else if (!inside) {
      inside = 1;
      words++;
    }
  }
  fprintf(out, "{\"lines\":%ld,\"words\":%ld,\"bytes\":%ld}\n", lines, words, bytes);
  return fclose(out) ? 3 : 0;
}
