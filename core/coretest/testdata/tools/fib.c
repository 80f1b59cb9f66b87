#include "tool.h"
static long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
EXPORT(fib) int run(void) {
	read_input();
	if (number("n") == 7) put("fifty"); // against its own schema
	else put_int(fib(number("n")));
	return give();
}
