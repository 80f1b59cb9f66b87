// The servlet form without a written description: golem must run it to learn its tools.
#include "tool.h"
EXPORT(describe) int describe(void) {
	read_input();
	put("{\"tools\":[{\"name\":\"greet\",\"description\":\"Greets.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"who\":{\"type\":\"string\"}}}}]}");
	return give();
}
EXPORT(call) int call(void) {
	char who[64];
	read_input();
	text("who", who, sizeof who);
	put("{\"content\":[{\"type\":\"text\",\"text\":\"hello ");
	put(who);
	put("\"}]}");
	return give();
}
EXPORT(shout) int shout(void) { read_input(); put("SHOUT "); put(in); return give(); }
