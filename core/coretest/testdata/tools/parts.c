// The servlet form: a text, an image and a resource in one result (scenario 49), and an image
// that is not valid.
#include "tool.h"
#define PNG "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
EXPORT(describe) int describe(void) { read_input(); return fail("a sidecar describes it"); }
EXPORT(call) int call(void) {
	char what[16] = {0};
	read_input();
	text("what", what, sizeof what);
	put("{\"content\":[{\"type\":\"text\",\"text\":\"drawn\"},");
	if (what[0] == 'l') put("{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"aGVsbG8gd29ybGQ=\"}");
	else put("{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"" PNG "\"}");
	put(",{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///sound.ogg\",\"mimeType\":\"audio/ogg\",\"blob\":\"T2dnUwACAAAA\"}}]}");
	return give();
}
