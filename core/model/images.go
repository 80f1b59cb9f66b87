package model

import (
	"net/http"
	"slices"
	"strings"
)

// RefusedImage reports whether err is the refusal of a request because of an image in
// it.
func RefusedImage(err error) bool {
	f := failureOf(err)
	if f == nil || !slices.Contains([]int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity}, f.status) {
		return false
	}
	text := strings.ToLower(f.message)
	return slices.ContainsFunc([]string{"image", "media_type", "media type", "vision", "picture", "base64", "multimodal"}, func(word string) bool { return strings.Contains(text, word) })
}
