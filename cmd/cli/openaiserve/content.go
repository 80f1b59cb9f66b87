package openaiserve

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"strings"

	"golem/core/run"
)

// part is one part of a message, of either protocol.
type part struct {
	Type       string          `json:"type"`
	Text       string          `json:"text"`
	Refusal    string          `json:"refusal"`
	ImageURL   json.RawMessage `json:"image_url"` // {"url": …}, or a string in responses
	InputAudio struct {
		Data   string `json:"data"`
		Format string `json:"format"`
	} `json:"input_audio"`
	File     *sentFile `json:"file"`
	sentFile           // of input_file in responses
}

// sentFile is a file that a client sends.
type sentFile struct {
	FileData string `json:"file_data"` // a data: URL, or base64
	FileID   string `json:"file_id"`
	FileURL  string `json:"file_url"`
	Filename string `json:"filename"`
}

// content reads the content of a message: a text, or a list of parts.
func (s *said) content(raw json.RawMessage, at string) *problem {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	if raw[0] == '"' {
		if json.Unmarshal(raw, &s.text) != nil {
			return invalid(at, "the text is not valid")
		}
		return nil
	}
	var parts []part
	if err := json.Unmarshal(raw, &parts); err != nil {
		return mistyped(at, err)
	}
	if len(parts) > maxMessages {
		return invalid(at, fmt.Sprintf("the content has more than %d parts", maxMessages))
	}
	var texts []string
	for i := range parts {
		at := fmt.Sprintf("%s[%d]", at, i)
		if text := parts[i].words(); text != "" {
			texts = append(texts, text)
			continue
		}
		if p := s.attach(&parts[i], at); p != nil {
			return p
		}
	}
	s.text = strings.Join(texts, "\n\n")
	return nil
}

// words returns the text of a part; "" for a part that is no text.
func (p *part) words() string {
	switch p.Type {
	case "text", "input_text", "output_text", "refusal":
		return p.Text + p.Refusal
	}
	return ""
}

// attach adds the file of a part. golem fetches nothing: the file itself has to be there.
func (s *said) attach(p *part, at string) *problem {
	name := func(kind, ending string) string { return fmt.Sprintf("%s-%d%s", kind, len(s.files)+1, ending) }
	switch p.Type {
	case "text", "input_text", "output_text", "refusal":
		return nil // empty
	case "image_url", "input_image":
		data, kind, problem := embedded(p.image(), at)
		return s.add(name("image", ending(kind, ".png")), data, problem)
	case "input_audio":
		data, _, problem := embedded(p.InputAudio.Data, at)
		format := p.InputAudio.Format
		if format != "mp3" {
			format = "wav"
		}
		return s.add(name("audio", "."+format), data, problem)
	case "file", "input_file":
		f := &p.sentFile
		if p.File != nil {
			f = p.File
		}
		if f.FileID != "" || f.FileURL != "" {
			return unsupported(at, "golem serve keeps no uploaded files and fetches no addresses: send the file itself in file_data")
		}
		data, kind, problem := embedded(f.FileData, at)
		given := f.Filename
		if strings.TrimSpace(given) == "" {
			given = name("file", ending(kind, ".txt"))
		}
		return s.add(given, data, problem)
	}
	return unsupported(at, "the part has the type "+short(p.Type)+", which golem serve does not know; it takes texts, images, audio and files")
}

func (s *said) add(name string, data []byte, p *problem) *problem {
	if p != nil {
		return p
	}
	if s.who != byUser {
		return invalid("messages", "only the user's messages can have images and files")
	}
	s.files = append(s.files, run.File{Name: name, Data: data})
	return nil
}

// image returns the address of an image.
func (p *part) image() string {
	var url string
	if json.Unmarshal(p.ImageURL, &url) == nil {
		return url
	}
	var object struct {
		URL string `json:"url"`
	}
	_ = json.Unmarshal(p.ImageURL, &object) // "" is refused
	return object.URL
}

// embedded returns the content of a data: URL, or of base64 alone, and its media type.
func embedded(text, at string) (data []byte, kind string, p *problem) {
	rest, is := strings.CutPrefix(text, "data:")
	if is {
		head, body, _ := strings.Cut(rest, ",")
		var encoded bool
		kind, encoded = strings.CutSuffix(head, ";base64")
		if !encoded {
			return nil, "", invalid(at, "the data: address is not in base64")
		}
		text = body
	} else if strings.Contains(text, "://") {
		return nil, "", unsupported(at, "golem serve fetches no addresses: send the content as a data: address in base64")
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(data) == 0 {
		return nil, "", invalid(at, "the content is empty, or is not base64")
	}
	return data, kind, nil
}

// ending returns the ending of a file name for a media type.
func ending(kind, otherwise string) string {
	kind, _, _ = mime.ParseMediaType(kind)
	switch kind {
	case "image/jpeg":
		return ".jpg"
	case "image/png", "image/gif", "image/webp":
		return "." + strings.TrimPrefix(kind, "image/")
	case "application/pdf":
		return ".pdf"
	case "text/markdown":
		return ".md"
	case "text/csv":
		return ".csv"
	case "application/json":
		return ".json"
	}
	return otherwise
}
