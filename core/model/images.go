package model

import (
	"net/http"
	"slices"
	"strings"
)

// Refused reports whether err is the refusal of a request because of what is in it: the same
// request would be refused again.
func Refused(err error) bool {
	f := failureOf(err)
	return f != nil && slices.Contains([]int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity}, f.status)
}

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
